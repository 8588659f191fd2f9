"""Does a text give orders to whoever answers? Such pages are kept out of knowledge bases, such sentences of answers."""

from firstline.orders.reading import doubtful, orders_in

__all__ = ["doubtful", "orders_in"]
