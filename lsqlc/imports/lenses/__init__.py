"""Import of Lenses: processors, topics and schemas as Lenses exports them."""
