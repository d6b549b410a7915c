"""Writes the peak memory of the programs of this folder: memory.py WORK THREADS.json, as a table in Markdown.

WORK/data holds the input of each workload and size that the harness has timed. What is least possible is all that a program reads and returns;
a program that needs arrays besides, as stencils that run again and again, has more.
"""
import json, os, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
FRIT = os.environ.get('FRIT', os.path.join(HERE, '../../target/release/frit'))


def peak(command):
    """Bytes of the largest resident set of a process; `None` if it fails."""
    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    _, status, usage = os.wait4(os.posix_spawn(command[0], command, os.environ, file_actions=quiet), 0)
    return usage.ru_maxrss * 1024 if status == 0 else None


def program(workload, language):
    """The program and its entry; `None` if there is none in that language. As tool.sh."""
    if language == 'sac' and workload.startswith('conv'):
        workload = 'conv'
    path = os.path.join(HERE, f'{workload}.{language}')
    return [path, *(['--entry', 'run'] if language == 'sac' else [])] if os.path.exists(path) else None


def main(work, measured):
    with open(measured) as text:
        found = {(row['wl'], row['size']): None for row in json.load(text)['rows']}
    print('\n## Peak memory\n')
    print('Of the whole process, `frit run` on two threads, in MB; a process that does next to nothing has some 15.\n')
    print('| workload | size | program | inputs and results | peak | more |')
    print('|---|---|---|---|---|---|')
    for workload, size in found:
        data = os.path.join(work, 'data', workload, size)
        with open(os.path.join(data, 'meta.json')) as text:
            meta = json.load(text)
        inputs = [os.path.join(data, f'{name}.npy') for name in meta['inputs']]
        results = [os.path.join(data, f'ref{at}.npy') for at in range(meta['nref'])]
        least = sum(map(os.path.getsize, inputs + results))
        for language in ('l0', 'sac'):
            words = program(workload, language)
            if words is None:
                continue
            with tempfile.TemporaryDirectory(dir=work) as folder:
                outputs = [word for at in range(meta['nref']) for word in ('-o', os.path.join(folder, f'{at}.npy'))]
                # The second run finds the program compiled.
                found = [peak([FRIT, 'run', *words, *inputs, *outputs, '--threads', '2']) for _ in range(2)][1]
            if found is not None:
                print(f'| {workload} | {size} | {language} | {least / 1e6:.1f} | {found / 1e6:.1f} | {(found - least) / 1e6:.1f} |')


if __name__ == '__main__':
    main(*sys.argv[1:])
