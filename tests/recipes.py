#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The recipes in config/ (Spack, EasyBuild, conda-forge, Debian) and the modules, against what their documentation asks
for: what has to be there, no key that is unknown, addresses and checksums of the right shape; and against one another:
one version, the libraries that the Makefile links with, the same variables of make. All that names these libraries is
looked at: the Makefile, needs.sh, setup.sh, the recipes, the README.

usage: recipes.py ROOT VERSION

Prints what is wrong, a line each, and then how many things were looked at."""
import ast
import re
import sys
from pathlib import Path

import yaml

# What is linked with, the one list: as needs.sh looks for it, in pkg-config or by its header; in Spack, EasyBuild. For Debian
# and conda-forge config/needs.sh says it.
LIBRARIES = {
    'otf2': ('otf2', 'OTF2'),
    'libunwind': ('libunwind', 'libunwind'),
    'hwloc': ('hwloc', 'hwloc'),
    'libdw': ('elfutils', 'elfutils'),
    'libelf.h': ('elfutils', 'elfutils'),
    'inih': ('libinih', 'inih'),
    'libcjson': ('cjson', 'cJSON'),
    'sqlite3': ('sqlite', 'SQLite'),
    'Zydis/Zydis.h': ('zydis', 'Zydis'),
}
WITHOUT_PC = {'libelf.h': 'elf', 'Zydis/Zydis.h': 'Zydis'}  # of these, what the linker calls them
NOT_OURS = {'m', 'dl', 'pthread', 'cmocka'}  # of libc, and of the tests
MAKE = {'PREFIX', 'MPICC', 'D3', 'DAGRE'}  # what a recipe tells make

SPACK_DIRECTIVES = {'build_system', 'conflicts', 'depends_on', 'extends', 'license', 'maintainers', 'patch', 'provides',
                    'redistribute', 'requires', 'resource', 'variant', 'version'}
SPACK_WORDS = {'depends_on': {'when', 'type', 'patches'},
               'version': {'sha256', 'url', 'preferred', 'deprecated', 'git', 'tag', 'branch', 'commit'},
               'license': {'checked_by', 'when'}}
SPACK_FIELDS = {'homepage', 'url', 'git', 'list_url', 'maintainers', 'manual_download', 'tags', 'parallel'}
SPACK_METHODS = {'edit': 3, 'build': 3, 'install': 3, 'check': 1, 'setup_build_environment': 2, 'setup_run_environment': 2}

EASYBUILD_NEEDED = {'name', 'version', 'homepage', 'description', 'toolchain'}
EASYBUILD_KNOWN = EASYBUILD_NEEDED | {
    'easyblock', 'versionsuffix', 'toolchainopts', 'sources', 'source_urls', 'checksums', 'patches', 'builddependencies',
    'dependencies', 'osdependencies', 'skipsteps', 'preconfigopts', 'configopts', 'prebuildopts', 'buildopts', 'preinstallopts',
    'installopts', 'postinstallcmds', 'parallel', 'runtest', 'sanity_check_paths', 'sanity_check_commands', 'modextrapaths',
    'modextravars', 'moduleclass', 'docurls', 'usage', 'start_dir', 'github_account'}
EASYBUILD_LACKS = {'Zydis', 'Zycore', 'cJSON'}  # for the toolchain below that of efgtrace:
EASYBUILD_CORE = {'name': 'GCCcore', 'version': '13.3.0'}
EASYBUILD_STEPS = {'configure', 'build', 'test', 'install', 'sanitycheck'}
EASYBUILD_CLASSES = {'base', 'bio', 'cae', 'chem', 'compiler', 'data', 'debugger', 'devel', 'lang', 'lib', 'math', 'mpi', 'numlib',
                     'perf', 'phys', 'system', 'toolchain', 'tools', 'vis'}

CONDA = {  # what may be in each section; those that must with a *
    '': 'schema_version context *package *source *build *requirements *tests *about extra',
    'package': '*name *version',
    'source': 'url sha256 md5 path git tag rev branch patches target_directory file_name filter use_gitignore',
    'build': 'number string skip noarch script merge_build_and_host_envs always_include_files always_copy_files variant python '
             'dynamic_linking link_options prefix_detection files',
    'requirements': 'build host run run_constraints run_exports ignore_run_exports',
    'about': 'homepage repository documentation *license *license_file *summary description prelink_message'}
CONDA_TESTS = {'script': {'requirements', 'files'}, 'package_contents': set(), 'python': set(), 'downstream': set()}
CONDA_CONTENTS = {'files', 'bin', 'lib', 'include', 'site_packages', 'strict'}

DEBIAN_TOOLS = {'debhelper-compat', 'libmpich-dev', 'libopenmpi-dev', 'mpich', 'node-d3', 'node-dagre-layout', 'openmpi-bin',
                'pkg-config'}
SETUP_TOOLS = {'gcc', 'libc6-dev', 'make', 'pkg-config', 'openmpi-bin', 'libopenmpi-dev'}
DEBIAN_SOURCE = '*Source *Section *Priority *Maintainer *Standards-Version Rules-Requires-Root Build-Depends Homepage Vcs-Git ' \
    'Vcs-Browser'
DEBIAN_BINARY = '*Package *Architecture *Description Depends Suggests Recommends Conflicts Section Multi-Arch'

DEBIAN_TESTS = 'Tests Test-Command *Depends *Restrictions Features'
DEBIAN_RESTRICTIONS = {'allow-stderr', 'needs-root', 'rw-build-tree'}

faults, looked_at = [], 0


def check(what, is_right):
    global looked_at
    looked_at += 1
    if not is_right:
        faults.append(what)


def same(what, found, wanted):
    check(f'{what}: {sorted(found)}, not {sorted(wanted)}', set(found) == set(wanted) and len(list(found)) == len(set(found)))


def within(what, found, allowed):
    """Keys FOUND: all are in ALLOWED, words of which those with a * must be there."""
    words = allowed.split() if isinstance(allowed, str) else sorted(allowed)
    unknown = set(found) - {word.lstrip('*') for word in words}
    missing = {word[1:] for word in words if word.startswith('*')} - set(found)
    check(f'{what}: unknown {sorted(unknown)}', not unknown)
    check(f'{what}: missing {sorted(missing)}', not missing)


def is_address(text):
    return re.fullmatch(r'https://[\w.-]+(/[\w.@%+~-]*)*|\(none\)', text) is not None


def is_checksum(text):
    return re.fullmatch('[0-9a-f]{64}', text) is not None


# --- what is needed ---

def read_needs(root):
    """Of each library: its packages in Debian and conda-forge, and its own name."""
    needs = []
    for line in (root / 'config/needs.sh').read_text().splitlines():
        found = re.search(r'needs (\S+) (\S+) (\S+) (\S+) (?:"\$pkg_config" --exists|has_header) (\S+)', line)
        if found and found[5].rstrip(';') != 'stdlib.h':
            needs.append((found[5], found[2], found[4], found[1]))
    same('needs.sh: libraries', [name for name, *_ in needs], LIBRARIES)
    return {name: packages for name, *packages in needs}


def debian_packages(needs):
    return {debian for debian, *_ in needs.values()}


def read_group(root, name):
    """Packages that a group of setup.sh has, with those of the groups that it names."""
    text = (root / 'config/setup.sh').read_text()
    words = re.search(rf'^{name}="([^"]*)"', text, re.M)[1].split()
    return [one for word in words for one in (read_group(root, word[1:]) if word.startswith('$') else [word])]


def check_setup(root, needs):
    same('setup.sh: build', read_group(root, 'build'), debian_packages(needs) | SETUP_TOOLS)
    wanted = (debian_packages(needs) | DEBIAN_TOOLS) - {'debhelper-compat'} | {'debhelper'}
    check(f'setup.sh: deb lacks {sorted(wanted - set(read_group(root, "deb")))}', wanted <= set(read_group(root, 'deb')))


def check_readme(root, needs):
    """Who binds efgtrace into a container reads there what has to be in it."""
    text = (root / 'README.md').read_text()
    named = re.search(r'libraries that it needs \(([^)]*)\) have to be in the image', ' '.join(text.split()))[1]
    same('README: libraries in a container', named.split(', '), {name for *_, name in needs.values()})


def read_makefile(root, version):
    text = (root / 'Makefile').read_text()
    linked = set(re.search(r'^FILES_PC := (.*)$', text, re.M)[1].split())
    for words in re.findall(r'\$\(call pc,--(?:libs|cflags),([^)]*)\)', text):
        linked |= {word for word in words.split() if not word.startswith('$')}
    same('Makefile: pkg-config', linked, {name for name in LIBRARIES if not name.endswith('.h')})
    options = set(re.findall(r'(?<![\w-])-l([\w+]+)', text))
    same('Makefile: -l', options, NOT_OURS | {WITHOUT_PC[name] for name in LIBRARIES if name.endswith('.h')})
    check('Makefile: version', re.search(r'^VERSION := (.*)$', text, re.M)[1] == version)
    for name in MAKE:
        check(f'Makefile: no variable {name}', re.search(rf'^{name} +\?=', text, re.M))


def told(what, words):
    """WORDS of a command of make: all variables are known, and all are there."""
    same(f'{what}: variables of make', {word.partition('=')[0] for word in words if '=' in word}, MAKE)


# --- Spack ---

def text_of(node):
    """A string, be it with values in it, which become {}."""
    if isinstance(node, ast.JoinedStr):
        return ''.join(part.value if isinstance(part, ast.Constant) else '{}' for part in node.values)
    return node.value if isinstance(node, ast.Constant) else ast.unparse(node)


def check_spack_call(call, libraries):
    name = call.func.id
    words = {word.arg: text_of(word.value) for word in call.keywords}
    check(f'spack: unknown {name}()', name in SPACK_DIRECTIVES)
    within(f'spack: {name}()', words, SPACK_WORDS.get(name, set()))
    if name == 'depends_on' and words.get('type') != 'build':
        libraries.append(text_of(call.args[0]).split()[0])
        check('spack: zydis is for x86-64', ('x86_64' in words.get('when', '')) == (libraries[-1] == 'zydis'))
    if 'sha256' in words:
        check('spack: sha256', is_checksum(words['sha256']))


def check_spack_fields(fields, version, versions):
    within('spack: fields', fields, SPACK_FIELDS)
    url = fields.get('url', '')
    check(f'spack: {url}', re.fullmatch(r'(https|file)://\S+/efgtrace-[0-9.]+\.tar\.gz', url))
    check('spack: version of the address', f'-{version}.tar' in url)
    check('spack: homepage', is_address(fields.get('homepage', '(none)')))
    check('spack: no checksum, and it is fetched', fields.get('manual_download') or all('sha256' in one for one in versions))


def check_spack(root, version):
    tree = ast.parse((root / 'config/spack/package.py').read_text())
    [recipe] = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    calls = [node.value for node in recipe.body if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)]
    named, libraries = [call.func.id for call in calls], []
    check('spack: class', recipe.name == 'Efgtrace' and [base.id for base in recipe.bases] == ['MakefilePackage'])
    check('spack: no description', ast.get_docstring(recipe))
    imports = {alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names}
    check('spack: MakefilePackage is not imported, as Spack 1 wants it', {'*', 'MakefilePackage'} <= imports)
    for call in calls:
        check_spack_call(call, libraries)
    for needed in 'version', 'license', 'depends_on':
        check(f'spack: no {needed}()', needed in named)
    same('spack: libraries', libraries, {pair[0] for pair in LIBRARIES.values()} | {'mpi'})
    versions = [call for call in calls if call.func.id == 'version']
    check('spack: version', [text_of(call.args[0]) for call in versions] == [version])
    fields = {node.targets[0].id: text_of(node.value) for node in recipe.body if isinstance(node, ast.Assign)}
    check_spack_fields(fields, version, [{word.arg for word in call.keywords} for call in versions])
    methods = {node.name: node for node in recipe.body if isinstance(node, ast.FunctionDef)}
    for name, node in methods.items():
        is_ours = any(isinstance(one, ast.Attribute) and one.attr == name for one in ast.walk(recipe))
        check(f'spack: unknown method {name}', is_ours or SPACK_METHODS.get(name) == len(node.args.args))
    told('spack', [text_of(node) for node in ast.walk(methods['flags']) if isinstance(node, (ast.JoinedStr, ast.Constant))
                   and re.match('[A-Z0-9]+=', text_of(node))])
    return ast.get_docstring(recipe)


# --- EasyBuild ---

class Names(dict):
    """Constants that EasyBuild knows."""
    def __missing__(self, name):
        check(f'easybuild: unknown {name}', name in ('SOURCE_TAR_GZ', 'SOURCELOWER_TAR_GZ', 'SYSTEM', 'SHLIB_EXT', 'OS_PKG_OPENSSL_DEV'))
        return name


def check_easybuild_lists(recipe):
    for name in 'dependencies', 'builddependencies':
        for one in recipe.get(name, []):
            check(f'easybuild: {name}: {one}', 2 <= len(one) <= 4 and all(isinstance(word, (str, tuple)) for word in one))
    for one in recipe.get('checksums', []):
        check(f'easybuild: checksum {one}', is_checksum(one))
    check('easybuild: sanity_check_paths', set(recipe['sanity_check_paths']) == {'files', 'dirs'} and
          all(isinstance(paths, list) for paths in recipe['sanity_check_paths'].values()))
    check('easybuild: skipsteps', set(recipe.get('skipsteps', [])) <= EASYBUILD_STEPS)


def read_easybuild(path):
    """What holds for any recipe of it."""
    recipe = Names()
    exec(compile(path.read_text(), str(path), 'exec'), {'__builtins__': {}}, recipe)
    within(f'easybuild: {path.name}', recipe, EASYBUILD_KNOWN | {f'*{name}' for name in EASYBUILD_NEEDED})
    check('easybuild: toolchain', set(recipe['toolchain']) == {'name', 'version'})
    check(f'easybuild: {path.name}',
          path.name == '{name}-{version}-{toolchain[name]}-{toolchain[version]}.eb'.format(**recipe))
    check('easybuild: homepage', is_address(recipe['homepage']))
    check('easybuild: moduleclass', recipe['moduleclass'] in EASYBUILD_CLASSES)
    check_easybuild_lists(recipe)
    return recipe


def check_easybuild_others(folder, recipe):
    """Recipes of what EasyBuild lacks: fetched, so with a checksum; of the versions that others name."""
    wanted, versions = dict(one[:2] for one in recipe['dependencies']), {}
    for path in sorted(folder.glob('*.eb')):
        if not path.name.startswith('efgtrace-'):
            other = read_easybuild(path)
            versions[other['name']] = other['version']
            wanted |= dict(one[:2] for one in other.get('dependencies', []))
            check(f'easybuild: {path.name}: checksums', len(other.get('checksums', [])) == len(other['sources']))
            check(f'easybuild: {path.name}: toolchain', other['toolchain'] == EASYBUILD_CORE)
    for name in sorted(EASYBUILD_LACKS | set(versions)):
        check(f'easybuild: {name} {versions.get(name)}, not {wanted.get(name)}',
              name in versions and versions[name] == wanted.get(name))


def check_easybuild(root, version):
    [path] = (root / 'config/easybuild').glob('efgtrace-*.eb')
    recipe = read_easybuild(path)
    check('easybuild: version', recipe['version'] == version)
    check_easybuild_others(path.parent, recipe)
    same('easybuild: libraries', [one[0] for one in recipe['dependencies']], {pair[1] for pair in LIBRARIES.values()})
    for options in 'buildopts', 'installopts':
        told(f'easybuild: {options}', recipe[options].split())
        check(f'easybuild: {options}', set(re.findall(r'%\((\w+)\)', recipe[options])) <= {'installdir', 'version', 'name'})
    return recipe['description']


# --- conda-forge ---

def packages_of(items):
    """Of a list of requirements, with those under a condition."""
    packages = []
    for item in items:
        if isinstance(item, dict):
            check(f'conda: {item}', {'if', 'then'} <= set(item) <= {'if', 'then', 'else'})
            packages += packages_of([item['then']] if isinstance(item['then'], str) else item['then'])
            packages += packages_of(item.get('else', []))
        else:
            packages.append(item.split()[0] if not item.startswith('${{') else item)
    return packages


def check_conda_source(source, version):
    within('conda: source', source, CONDA['source'])
    where = source.get('url') or source['path']
    check(f'conda: {where}', where.endswith('efgtrace-${{ version }}.tar.gz'))
    if 'url' in source:
        check('conda: address', is_address(where.replace('${{ version }}', version)) and is_checksum(source.get('sha256', '')))


def check_conda_tests(tests):
    for test in tests:
        kinds = set(test) & set(CONDA_TESTS)
        check(f'conda: test {sorted(test)}', len(kinds) == 1 and set(test) <= kinds | CONDA_TESTS[min(kinds)])
        within('conda: package_contents', test.get('package_contents', {}), CONDA_CONTENTS)


def check_conda(root, version, needs):
    recipe = yaml.safe_load((root / 'config/conda/recipe.yaml').read_text())
    variants = yaml.safe_load((root / 'config/conda/variants.yaml').read_text())
    for section, allowed in CONDA.items():
        within(f'conda: {section or "sections"}', recipe[section] if section else recipe, allowed)
    check('conda: schema', recipe['schema_version'] == 1)
    check('conda: version', recipe['context']['version'] == version and recipe['package']['version'] == '${{ version }}')
    check('conda: build number', isinstance(recipe['build']['number'], int))
    check_conda_source(recipe['source'], version)
    requirements = {name: packages_of(items) for name, items in recipe['requirements'].items()}
    same('conda: libraries', requirements['host'], {conda for _, conda, _ in needs.values()} | {'${{ mpi }}'})
    check('conda: the MPI is that of the run', '${{ mpi }}' in requirements['run'] and set(variants['mpi']) == {'openmpi', 'mpich'})
    check_conda_tests(recipe['tests'])
    for command in recipe['build']['script']:
        told('conda', command.split())
    for name in 'homepage', 'repository', 'documentation':
        check(f'conda: {name}', is_address(recipe['about'].get(name, '(none)')))
    check('conda: license file', (root / recipe['about'].get('license_file', '')).is_file())
    check('conda: license', recipe['about'].get('license') == 'BSD-3-Clause')
    return recipe['about'].get('summary', '')


# --- Debian ---

def check_debian(root, needs):
    text = (root / 'config/debian/control').read_text()
    parts = [dict(re.findall(r'^([A-Z][\w-]*): *((?:.|\n )*)', part, re.M)) for part in text.split('\n\n')]
    check('debian: two parts', len(parts) == 2)
    within('debian: source', parts[0], DEBIAN_SOURCE)
    within('debian: package', parts[1], DEBIAN_BINARY)
    packages = [re.split(r'[ (\[]', item.strip())[0] for item in parts[0]['Build-Depends'].split(',')]
    same('debian: what it is built with', packages, debian_packages(needs) | DEBIAN_TOOLS)
    check('debian: zydis is for x86-64', 'libzydis-dev [amd64]' in text)
    check('debian: first line', len(parts[1]['Description'].splitlines()[0]) <= 80)


def check_debian_tests(root):
    """Of autopkgtest: what is named is there, and all packages are in a group of setup.sh, so that they have a name."""
    folder = root / 'config/debian/tests'
    known = set(read_group(root, 'check')) | set(read_group(root, 'deb')) | {'man-db'}
    for part in (folder / 'control').read_text().split('\n\n'):
        fields = dict(re.findall(r'^([A-Z][\w-]*): *((?:.|\n )*)', part, re.M))
        within('debian tests: fields', fields, DEBIAN_TESTS)
        check('debian tests: a script or a command', ('Tests' in fields) != ('Test-Command' in fields))
        for name in fields.get('Tests', '').split():
            check(f'debian tests: {name}', (folder / name).stat().st_mode & 0o111)
        within('debian tests: restrictions', re.split(r'[\s,]+', fields['Restrictions']), DEBIAN_RESTRICTIONS)
        packages = {one.strip() for one in fields['Depends'].split(',')} - {'@', '@builddeps@'}
        check(f'debian tests: unknown {sorted(packages - known)}', packages <= known)


# --- modules ---

def check_modules(root):
    """The same is set for Lmod and for Environment Modules; PATH and the like are added by the others themselves."""
    lua = (root / 'config/modules/efgtrace.lua').read_text()
    tcl = (root / 'config/modules/efgtrace.tcl').read_text()
    sets = {name: set(re.findall(pattern, text, re.M)) for name, text, pattern in (
        ('lua', lua, r'^(?:setenv|prepend_path)\("(\w+)"'), ('tcl', tcl, r'^(?:setenv|prepend-path) (\w+)'))}
    same('modules: variables', sets['lua'], sets['tcl'])
    check('modules: the first line for Tcl', tcl.startswith('#%Module'))
    names = set(re.findall(r'"([A-Z]+)", self\.prefix', (root / 'config/spack/package.py').read_text()))
    names |= set(re.findall(r"'([A-Z]+)': 'include", next((root / 'config/easybuild').glob('efgtrace-*.eb')).read_text()))
    check(f'modules: {names}', names and names <= sets['lua'])
    return [re.search(r'Description: ([^"]*)', text)[1] for text in (lua, tcl)]


def main(root, version):
    root = Path(root)
    needs = read_needs(root)
    read_makefile(root, version)
    check_setup(root, needs)
    check_readme(root, needs)
    said = [check_spack(root, version), check_easybuild(root, version), check_conda(root, version, needs), *check_modules(root)]
    said.append(re.search('^Description: (.*)$', (root / 'config/efgtrace.pc.in').read_text(), re.M)[1])
    check_debian(root, needs)
    check_debian_tests(root)
    same('what it is', {text.strip('.').lower() for text in said}, {said[0].strip('.').lower()})
    print(*faults, sep='\n', end='\n' if faults else '')
    print(f'{looked_at} things looked at')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
