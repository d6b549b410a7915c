"""Writes what the harness measured as one table for each number of threads: results.py TWO_THREADS.json ONE_THREAD.json [README].

The README, if it is named, gets the rows of SHOWN between its lines `<!-- results -->` and `<!-- end of results -->`.
"""
import collections, json, platform, subprocess, sys

FRIT = ('frit-l0', 'frit-sac')

# The rows of the README: workload, program, what it computes. They include every workload that is slower than expert C.
SHOWN = (
    ('chain', 'frit-l0', 'six vector operations, a sum of squares'),
    ('scanmap', 'frit-l0', 'running sum of a map'),
    ('histogram', 'frit-l0', 'counts by computed index'),
    ('blackscholes', 'frit-l0', 'option prices'),
    ('jacobi2d', 'frit-l0', 'stencil in a time loop'),
    ('unsharp', 'frit-l0', 'pipeline of image stencils'),
    ('matmul', 'frit-l0', 'matrix product'),
    ('floyd', 'frit-l0', 'all shortest paths'),
    ('mg', 'frit-sac', 'multigrid'),
    ('tridiagonal', 'frit-l0', 'batch of tridiagonal systems'),
)


def first_line(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip().splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return None


def processor():
    try:
        with open('/proc/cpuinfo') as file:
            return next(line.split(':', 1)[1].strip() for line in file if line.startswith('model name'))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def versions():
    found = [f'{processor()}, {platform.system()} {platform.release()}', first_line('gcc', '--version'), f'Python {platform.python_version()}']
    for name in ('numpy', 'numexpr', 'numba', 'jax', 'torch', 'halide'):
        try:
            from importlib.metadata import version
            found.append(f'{name} {version(name)}')
        except Exception:
            pass
    return '; '.join(part for part in found if part)


def time(seconds):
    return f'{seconds * 1e3:.3g} ms' if seconds >= 1e-3 else f'{seconds * 1e6:.3g} us'


def measured(file):
    """The rows by workload and size and then by tool; and what was wrong."""
    rows, wrong = collections.defaultdict(dict), []
    with open(file) as text:
        for row in json.load(text)['rows']:
            if 'median' in row:
                rows[row['wl'], row['size']][row['peer']] = row
            elif row['peer'] in FRIT and 'no program in' not in str(row['bad']):
                wrong.append(f"{row['wl']} {row['size']}, {row['peer']}: {row['bad']}")
    return rows, wrong


def best_peer(threads, peers):
    # The harness runs the other tools on two threads, whatever it is told.
    others = [row for name, row in peers.items() if threads == 2 and not name.startswith(('frit', 'C-'))]
    return min(others, key=lambda row: row['median'], default=None)


def beside_unfused(name, peers):
    """How many times as long a program takes as without fusion."""
    unfused = peers.get(f'{name}-unfused')
    return f"{peers[name]['median'] / unfused['median']:.2f}" if unfused else '-'


def table(threads, file):
    rows, wrong = measured(file)
    plural = '' if threads == 1 else 's'
    print(f'\n## {threads} thread{plural}\n')
    unfused = threads == 2
    print(f"| workload | size | tool | median | over the least | x expert C | best peer | x best peer |{' x unfused |' if unfused else ''} x limit |")
    print('|---|---|---|---|---|---|---|---|---|' + ('---|' if unfused else ''))
    for (workload, size), peers in rows.items():
        best = best_peer(threads, peers)
        for name in FRIT:
            if name not in peers:
                continue
            row = peers[name]
            spread = f"{(row['median'] / row['min'] - 1) * 100:.0f} %"
            beside = f"{best['peer']} | {row['median'] / best['median']:.2f}" if best else '- | -'
            without = f' {beside_unfused(name, peers)} |' if unfused else ''
            print(f"| {workload} | {size} | {name} | {time(row['median'])} | {spread} | {row['vs_expert']:.2f} | {beside} |{without} {row['vs_limit']:.2f} |")
    for line in wrong:
        print(f'\nWrong or failed: {line}')


def summary(two_file, one_file):
    """The rows of SHOWN: how many times as long a program takes as expert C, as the best of the other tools, and as without fusion."""
    two, one = measured(two_file)[0], measured(one_file)[0]
    yield '| workload | computes | time | x expert C | x best other tool | x unfused | x expert C, 1 thread |'
    yield '|---|---|---|---|---|---|---|'
    for workload, name, computes in SHOWN:
        for key, peers in two.items():
            if key[0] == workload and name in peers and name in one[key]:
                best, row = best_peer(2, peers), peers[name]
                beside = f"{row['median'] / best['median']:.2f} ({best['peer']})" if best else '-'
                yield (f"| {key[0]} {key[1]} | {computes} | {time(row['median'])} | {row['vs_expert']:.2f} | {beside} "
                       f"| {beside_unfused(name, peers)} | {one[key][name]['vs_expert']:.2f} |")


def write_summary(readme, lines):
    begin, end = '<!-- results -->\n', '<!-- end of results -->\n'
    with open(readme) as file:
        before, rest = file.read().split(begin)
    after = rest.split(end)[1]
    with open(readme, 'w') as file:
        file.write(before + begin + ''.join(line + '\n' for line in lines) + end + after)


print('# Results\n\nWritten by `make bench`. Times are medians of runs in turn; `x` means so many times as long: as the faster of two builds of expert C, as the fastest of')
print('the other tools, as the same program without fusion (every operation on arrays a loop of its own), as the machine could at best (the roofline of memory and arithmetic on two threads, in both tables). On shared machines ratios within a quarter of 1 are no differences.\n')
print(versions())
table(2, sys.argv[1])
table(1, sys.argv[2])
if len(sys.argv) > 3:
    write_summary(sys.argv[3], summary(sys.argv[1], sys.argv[2]))
