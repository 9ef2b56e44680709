"""Small files as plants make them, each with what is in truth in it.

`python -m tests.data.nasty` makes them anew: the files beside this module under files/, what they
hold under truth/.
"""
