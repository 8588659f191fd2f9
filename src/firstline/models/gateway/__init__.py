"""What stands between a question and a language model? Wrappers with the port's own shape, each with one job, and the
provider at the very end. Composed in `model_wiring`, which alone imports them."""
