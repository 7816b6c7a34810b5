# Sourced by scripts/test and bench/first-hour after setup.sh: small Debians, for tests/install/bare.

# Whether a Debian can be made here and entered.
can_make_root() { ((EUID == 0)) && command -v apt-get >/dev/null && unshare --mount --net --pid --fork true 2>/dev/null; }

debian_suite() { sed -n 's/^VERSION_CODENAME=//p' /etc/os-release; }

# Where apt here takes this Debian from, such as http://<host>/debian/.
debian_mirror() {
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 2>/dev/null |
    awk -v suite="$1" '$2 == suite && $3 == "main" { print $1; exit }'
}

# make_root ARCHIVE SUITE PACKAGES: packs a minimal Debian with these packages, which commas separate.
make_root() {
  local archive=$1 suite=$2 packages=$3 folder mirror
  mirror=$(debian_mirror "$suite")
  [[ -n $mirror ]] || { echo "apt names no mirror of $suite" && return 1; }
  folder=$(mktemp -d "$cache/bare-root.XXXXXX") || return
  debootstrap --variant=minbase --include="$packages" "$suite" "$folder" "$mirror" &&
    rm -rf "$folder"/var/cache/apt "$folder"/var/lib/apt/lists "$folder"/usr/share/{doc,locale,man} &&
    tar -C "$folder" --one-file-system -czf "$archive.part" . && mv "$archive.part" "$archive"
  local status=$?
  rm -rf --one-file-system "$folder"
  return $status
}

# Sets bare_root and build_root to archives: of a Debian with Python alone, and of one with the packages that a build needs. Sets
# both to nothing, with the reason on stderr, where none can be made.
need_bare_root() {
  local suite packages
  bare_root= build_root=
  if ! can_make_root; then
    say "no bare root: it takes root, apt and namespaces"
    return 0
  fi
  suite=$(debian_suite)
  lock_cache
  packages=python3,$(packages_of venv core | tr '\n' ',')
  need_root bare_root "$suite" "python3,$(packages_of venv)"
  [[ -z $bare_root ]] || need_root build_root "$suite" "${packages%,}"
  [[ -n $build_root ]] || bare_root=
  unlock_cache
}

# need_root VARIABLE SUITE PACKAGES: sets the variable to the archive of such a Debian, to nothing where none can be made.
need_root() {
  local -n archive=$1
  archive=$cache/$1-$2-$(dpkg --print-architecture)-$(cksum <<<"$3" | cut -d ' ' -f 1).tar.gz
  [[ ! -e $archive ]] || return 0
  (need_packages bare-root && step "making a small $2 in $archive (once)" make_root "$archive" "$2" "$3") || {
    say "no $1: debootstrap is not to be had, or could not make one"
    archive=
  }
}

# Sets build_wheels: a folder with what pip asks for when it builds the checkout, in the versions that it would take from an index.
need_build_wheels() {
  build_wheels=$cache/build-wheels-$scikit_build_core_version-$cmake_version-$ninja_version
  install_once "$build_wheels" "wheels of scikit-build-core, cmake and ninja" download_build_wheels
}

download_build_wheels() {
  "$wheel_builder/bin/python" -m pip download --no-input --disable-pip-version-check --only-binary :all: --dest "$1" \
    "scikit-build-core==$scikit_build_core_version" "cmake==$cmake_version" "ninja==$ninja_version"
}
