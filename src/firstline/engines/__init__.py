"""What can it remember in?"""
