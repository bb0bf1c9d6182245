# SPDX-License-Identifier: BSD-3-Clause
# Merged nodes: calls have the names of what they have become, and are counted as in the graph.

ranks 2 "$tool" run -m graph --summary off --interval 10ms --memory 1M -o merged "$work/many" paths 100000 >out 2>err
"$tool" graph -f json -r 1 merged | "$python" -c '
import json, sys
for node in json.load(sys.stdin)["nodes"]:
    print(node["count"], node["label"])' | awk '{ n = $1; $1 = ""; sum[$0] += n }
        END { for (l in sum) print sum[l] l }' | sort >graph
"$tool" expand -r 1 merged | sed 's/^ *[0-9]*  //' | tr -s ' ' | sort | uniq -c | sed 's/^ *//' | sort >calls
verdict "merged nodes: $(wc -l <calls) kinds of calls, as often as in the graph" \
    "$(diff graph calls | head -n 3)"
