#!/usr/bin/env bash
# Runs the commands of docs/tour.md, in their order, in one folder. The viewer draws a few frames offscreen.
# usage: test_tour.sh TREELIGHT SOURCE_DIR
set -euo pipefail
program=$1 source_dir=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin" "$folder/work"
cat > "$folder/bin/treelight" << END
#!/bin/sh
if [ "\$1" = view ]; then
    case " \$* " in
        *" --offscreen "*) ;;
        *) set -- "\$@" --offscreen --frames 2 --screenshot view.png ;;
    esac
fi
exec "$program" "\$@"
END
chmod +x "$folder/bin/treelight"
awk '/^```sh$/ { shown = 1; next } /^```$/ { shown = 0 } shown' "$source_dir/docs/tour.md" > "$folder/tour.sh"
cd "$folder/work"
export PATH=$folder/bin:$PATH XDG_CONFIG_HOME=$folder/config XDG_CACHE_HOME=$folder/cache
bash -euxo pipefail "$folder/tour.sh" > out.txt 2> said.txt || {
    tail said.txt
    echo "FAILED: the last of these commands"
    exit 1
}
for file in atrium.png viewer.png view.png difference.png model.glb mine.png waves_09.png; do
    [[ -s $file ]] || { echo "FAILED: the tour made no $file" && exit 1; }
done
echo "$(grep -c '^+ treelight' said.txt) commands of the tour work"
