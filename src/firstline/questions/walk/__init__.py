"""How is one document reached from another? By the names its passages use, and by what documents say of each other."""
