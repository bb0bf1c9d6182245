#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
What `efgtrace history` finds in series that are made up, and what it takes for a change where there is none.

A series is 60 runs of a program with 15 call sites, the largest of which takes a fifth of an iteration. The time
of each site varies like a normal distribution on a logarithmic scale, and some runs are slower by up to
a half as a whole. From run 40 on one site takes 5% longer. "Within 3" is what is found in the first 42
runs; the site must be named first. Alarms are those in series without a change.

usage: bench/history.py TOOL [--series N] [--noise SHARE] [--outliers SHARE]
       bench/history.py TOOL --size RUNS            time of a query of an index with so many runs
       bench/history.py TOOL --size RUNS --copy DIR   time to make it, of copies of the run in DIR
"""
import argparse
import json
import os
import random
import sqlite3
import subprocess
import tempfile
import time

SITES = 15
RUNS = 60
CHANGE = 39  # index of the first run that is slower


def weight(site):
    return 0.2 * 0.8**site


def add_series(database, number, runs, noise, outliers, slower, rng, first=0):
    """RUNS runs of the command NUMBER; site NUMBER % 5 takes SLOWER times as long from CHANGE on."""
    for run in range(first, runs):
        slow = 1 + 0.5 * rng.random() if rng.random() < outliers else 1
        times = [1e-3 * weight(s) * slow * rng.lognormvariate(0, noise) for s in range(SITES)]
        if run >= CHANGE:
            times[number % 5] *= slower
        rest = 1e-3 * (1 - sum(map(weight, range(SITES)))) * slow * rng.lognormvariate(0, noise)
        each = sum(times) + rest
        cursor = database.execute(
            "INSERT INTO runs(folder, stamp, user, application, command, version, mpi, start, ended, ranks, hosts, loop,"
            " seconds, iterations, iteration, mpi_share, parallel, balance, communication, findings)"
            " VALUES(?, 1, 'me', 'app', ?, '', '', ?, 1, 4, 1, 'in main', ?, 1000, ?, 0.2, 0.8, 0.9, 0.9, '')",
            (f"/spool/{number}/{run}", f"./app input.{number:05}", 1.7e9 + 86400 * run, 1000 * each, each))
        database.executemany("INSERT INTO times VALUES(?, ?, ?, 1)",
                             [(cursor.lastrowid, s + 1, t) for s, t in enumerate(times)])


def make(tool, path, fill):
    """An index at PATH, with the tables that the tool makes, that FILL fills."""
    with tempfile.TemporaryDirectory() as nothing:
        subprocess.run([tool, "index", "-o", path, nothing], check=True, stdout=subprocess.DEVNULL)
    with sqlite3.connect(path) as database:
        database.executemany("INSERT INTO sites VALUES(?, ?, ?)",
                             [(s + 1, s, f"MPI_Send  solver.c:{s} step") for s in range(SITES)])
        fill(database)
    database.close()


def ask(tool, path, *options):
    out = subprocess.run([tool, "history", "-i", path, "-f", "json", *options], check=True, capture_output=True)
    return {int(s["command"].rsplit(".", 1)[1]): s for s in json.loads(out.stdout)["series"]}


def is_found(series, number):
    return any(abs(change["run"] - CHANGE) <= 2 and change["sites"]
               and change["sites"][0]["name"] == f"MPI_Send  solver.c:{number % 5} step" for change in series["changes"])


def campaign(tool, count, noise, outliers, folder):
    rng = random.Random(20261124)
    changed, same = os.path.join(folder, "changed.db"), os.path.join(folder, "same.db")
    for path in changed, same:
        if os.path.exists(path):
            os.remove(path)
    make(tool, changed, lambda d: [add_series(d, n, CHANGE + 3, noise, outliers, 1.05, rng) for n in range(count)])
    make(tool, same, lambda d: [add_series(d, n, RUNS, noise, outliers, 1, rng) for n in range(count)])
    found = sum(is_found(series, n) for n, series in ask(tool, changed).items())
    alarms = sum(bool(series["changes"]) for series in ask(tool, same).values())
    return found, alarms


def time_import(tool, run, count, folder):
    data = open(os.path.join(run, "run.efg"), "rb").read()
    for i in range(count):
        copy = os.path.join(folder, f"{i % 100:02}", f"{i}")
        os.makedirs(copy)
        with open(os.path.join(copy, "run.efg"), "wb") as file:
            file.write(data)
    for what in "made", "made again":
        begin = time.monotonic()
        out = subprocess.run([tool, "index", folder], check=True, capture_output=True, text=True).stdout
        print(f"{what}: {time.monotonic() - begin:.1f} s, {out.split(': ')[1].strip()}, {len(data)} bytes each")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("--series", type=int, default=100, help="how many of each kind (100)")
    parser.add_argument("--noise", type=float, nargs="+", default=[0.005, 0.01, 0.015])
    parser.add_argument("--outliers", type=float, nargs="+", default=[0, 0.03, 0.1])
    parser.add_argument("--copy", help="folder of a run that is indexed --size times")
    parser.add_argument("--size", type=int, help="runs of the index that queries are timed with")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if arguments.copy:
            time_import(arguments.tool, arguments.copy, arguments.size, folder)
            return
        if arguments.size:
            path = os.path.join(folder, "large.db")
            rng = random.Random(1)
            make(arguments.tool, path,
                 lambda d: [add_series(d, n, RUNS, 0.01, 0.02, 1.05, rng) for n in range(arguments.size // RUNS)])
            for options in (), ("00007",), ("--since", "2024-01-10"):
                begin = time.monotonic()
                series = ask(arguments.tool, path, *options)
                print(f"history {' '.join(options)}: {len(series)} series, {time.monotonic() - begin:.2f} s")
            return
        print("noise  outliers  found within 3 runs  alarms")
        for noise in arguments.noise:
            for outliers in arguments.outliers:
                found, alarms = campaign(arguments.tool, arguments.series, noise, outliers, folder)
                print(f"{noise:5.1%}  {outliers:8.0%}  {found:8} of {arguments.series:<8}  {alarms:3} of "
                      f"{arguments.series}", flush=True)


if __name__ == "__main__":
    main()
