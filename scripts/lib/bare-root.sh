# Sourced by scripts/test and bench/first-hour after setup.sh: a Debian with Python and nothing that builds, for tests/install/bare.

# Whether a Debian can be made here and entered.
can_make_root() { ((EUID == 0)) && command -v apt-get >/dev/null && unshare --mount --net --pid --fork true 2>/dev/null; }

debian_suite() { sed -n 's/^VERSION_CODENAME=//p' /etc/os-release; }

# Where apt here takes this Debian from, such as http://<host>/debian/.
debian_mirror() {
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 2>/dev/null |
    awk -v suite="$1" '$2 == suite && $3 == "main" { print $1; exit }'
}

# make_bare_root ARCHIVE SUITE: its venv is made here, as Debian's own Python lets nobody install into it.
make_bare_root() {
  local archive=$1 suite=$2 folder mirror
  mirror=$(debian_mirror "$suite")
  [[ -n $mirror ]] || { echo "apt names no mirror of $suite" && return 1; }
  folder=$(mktemp -d "$cache/bare-root.XXXXXX") || return
  debootstrap --variant=minbase --include=python3,python3-venv "$suite" "$folder" "$mirror" &&
    chroot "$folder" python3 -m venv /venv &&
    rm -rf "$folder"/var/cache/apt "$folder"/var/lib/apt/lists "$folder"/usr/share/{doc,locale,man} &&
    tar -C "$folder" --one-file-system -czf "$archive.part" . && mv "$archive.part" "$archive"
  local status=$?
  rm -rf --one-file-system "$folder"
  return $status
}

# Sets bare_root to its archive; to nothing, with the reason on stderr, where none can be made.
need_bare_root() {
  local suite
  bare_root=
  if ! can_make_root; then
    say "no bare root: it takes root, apt and namespaces"
    return 0
  fi
  suite=$(debian_suite)
  lock_cache
  bare_root=$cache/bare-root-$suite-$(dpkg --print-architecture).tar.gz
  if [[ ! -e $bare_root ]]; then
    (need_packages bare-root && step "making a bare $suite in $bare_root (once)" make_bare_root "$bare_root" "$suite") || {
      say "no bare root: debootstrap is not to be had, or could not make one"
      bare_root=
    }
  fi
  unlock_cache
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
