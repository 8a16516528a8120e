"""Where each value lies: the devices that a program asks for, and those that follow."""
