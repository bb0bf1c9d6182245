# SPDX-License-Identifier: BSD-3-Clause
"""Training of a neural network on parts of the data: gradients of each batch are added up over all ranks.

usage: pytrain.py [EPOCHS]

The main loop are the batches, 80 in each epoch, at whose end there is a validation.
"""
import sys

import numpy as np
from say import say_loops
from mpi4py import MPI

comm = MPI.COMM_WORLD
epochs = int(sys.argv[1]) if len(sys.argv) > 1 else 6
batches = 80
random = np.random.default_rng(comm.rank)
sizes = [64, 128, 128, 10]
weights = [np.random.default_rng(1).standard_normal((a, b)) * 0.1 for a, b in zip(sizes, sizes[1:])]


def forward(x):
    layers = [x]
    for w in weights:
        layers.append(np.tanh(layers[-1] @ w))
    return layers


def backward(layers, d):
    gradients = []
    for w, a, o in zip(reversed(weights), reversed(layers[:-1]), reversed(layers[1:])):
        d = d * (1 - o * o)
        gradients.insert(0, a.T @ d)
        d = d @ w.T
    return gradients


def add_up(gradients):
    for g in gradients:
        comm.Allreduce(MPI.IN_PLACE, g)


def validate():
    loss = 0
    for _ in range(10):
        x = random.standard_normal((128, 64))
        loss += float(((forward(x)[-1] - np.sign(x[:, :10])) ** 2).sum())
    return comm.allreduce(loss)


for epoch in range(epochs):
    for batch in range(batches):
        x = random.standard_normal((128, 64))
        layers = forward(x)
        gradients = backward(layers, layers[-1] - np.sign(x[:, :10]))
        add_up(gradients)
        for w, g in zip(weights, gradients):
            w -= 1e-4 * g
    loss = validate()
if comm.rank == 0:
    print("loss", round(loss, 1))
say_loops(epochs * batches, epochs)
