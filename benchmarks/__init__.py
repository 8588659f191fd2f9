"""Speed, memory and quality on real data. Commands of their own; nothing here ships."""
