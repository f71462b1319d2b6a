# Functions that make an empty Debian or Ubuntu in a folder and run commands in it, for tools/fresh-machine and
# tools/package. Root and debootstrap are needed. To be sourced after lib.sh.
# shellcheck shell=bash

# Packages come from where this machine's own apt gets that suite, else from these mirrors.
debian_mirror=http://deb.debian.org/debian
ubuntu_mirror=http://archive.ubuntu.com/ubuntu

require_machines() {
    ((EUID == 0)) || die "an empty machine needs root: sudo $0"
    command -v debootstrap > /dev/null || die "debootstrap is missing: apt-get install debootstrap"
}

# Whether a suite is one of Ubuntu's.
is_ubuntu() { [[ $1 == noble || $1 == oracular || $1 == plucky || $1 == questing ]]; }

# sources_of SUITE: prints this machine's apt sources of a suite of Debian as lines of a sources.list, if there are any.
sources_of() {
    # apt, not the shell, expands $(REPO_URI) and the other placeholders.
    # shellcheck disable=SC2016
    apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' \
        'Created-By: Packages' 'Origin: Debian' 2> /dev/null | grep " $1" | sort -u || true
}

# install_machine SUITE FOLDER: installs debootstrap's variant "minbase" into FOLDER, with this machine's settings for
# reaching servers. Its log is FOLDER.log.
install_machine() {
    local suite=$1 machine=$2 sources='' mirror script=() options=(--variant=minbase)
    if is_ubuntu "$suite"; then
        mirror=$ubuntu_mirror
        options+=('--components=main,universe')
        script=(/usr/share/debootstrap/scripts/gutsy)  # for all of Ubuntu's suites, also those that debootstrap is older than
        [[ -e /usr/share/keyrings/ubuntu-archive-keyring.gpg ]] || {
            say "without Ubuntu's keys here (ubuntu-archive-keyring), its first packages are not verified"
            options+=(--no-check-gpg)
        }
    else
        sources=$(sources_of "$suite")
        mirror=$(awk -v suite="$suite" '$3 == suite && $4 == "main" { print $2; exit }' <<< "$sources")
        mirror=${mirror:-$debian_mirror}
    fi
    [[ $sources != *https:* ]] || options+=(--include=ca-certificates)
    debootstrap "${options[@]}" "$suite" "$machine" "$mirror" "${script[@]}" > "$machine.log" 2>&1 || {
        tail -n 15 "$machine.log" >&2
        return 1
    }
    [[ -z $sources ]] || echo "$sources" > "$machine/etc/apt/sources.list"
    # Proxies and timeouts.
    apt-config dump Acquire | grep -v ' "";$' > "$machine/etc/apt/apt.conf.d/99host"
    cp -L /etc/resolv.conf /etc/hosts "$machine/etc/"
}

# on_machine FOLDER DIRECTORY COMMAND...: runs the command in the machine as root, in one of its directories. The
# environment holds only the proxy settings of this machine and the variables named in $machine_environment. Processes
# and mounts are removed when the command ends, also after a crash. $machine_shows, if set, is a folder of this machine
# that the command sees read-only in the same place.
machine_environment=() machine_shows=
on_machine() {
    local name environment=("${machine_environment[@]}")
    for name in http_proxy https_proxy ftp_proxy no_proxy; do
        [[ -z ${!name:-} ]] || environment+=("$name=${!name}")
    done
    # shellcheck disable=SC2016
    unshare --mount --pid --fork --kill-child bash -c '
        mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && cd "$1" || exit 1
        [[ -z $2 ]] || { mkdir -p ".$2" && mount --rbind -o ro "$2" ".$2" || exit 1; }
        directory=$3 && shift 3 && exec chroot . /usr/bin/env -i --chdir="$directory" "$@"' \
        bash "$1" "$machine_shows" "$2" HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
        "${environment[@]}" "${@:3}" < /dev/null
}
