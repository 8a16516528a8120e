"""Where each value lies: the devices that a program asks for, those that follow, and the copies between them."""
