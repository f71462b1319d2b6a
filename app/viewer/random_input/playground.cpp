#include "app/viewer/random_input/playground.h"

#include <stdlib.h>

#include <filesystem>

#include "app/viewer/files/folder_listing.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/redirect_writes.h"
#include "renderer/scene/loaders/loader.h"

namespace tl {
namespace fs = std::filesystem;
namespace {

struct DamagedFile {
    const char* name;
    std::string_view bytes;
};
constexpr DamagedFile kDamaged[] = {
    {"empty.toml", ""},
    {"cut.toml", "[camera]\neye = [0, 0"},
    {"wrong.toml", "[camera]\neye = \"here\"\n"},
    {"missing-model.toml", "model = \"none.obj\"\n"},
    {"indices.obj", "v 0 0 0\nf 1 2 3\nf -9 99999999999 x\n"},
    {"nan.obj", "v nan 0 0\nv 1 inf 0\nv 0 1 0\nf 1 2 3\n"},
    {"cut.ply", "ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\n"},
    {"cut.glb", std::string_view("glTF\2\0\0\0\377\377\377\177", 12)},
    {"deep.gltf", "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[[[[[[[["},
    {"text.fbx", "Kaydara FBX Binary  "},
    {"no-scene.png", "\211PNG\r\n\032\n"}};

}  // namespace

Playground::Playground() {
    auto name = (fs::temp_directory_path() / "treelight-random-input-XXXXXX").string();
    if (!mkdtemp(name.data()))
        throw UserError(name + ": no temporary folder can be made; set TMPDIR to one with room");
    folder_ = name;
    for (auto& file : kDamaged) write_file((fs::path(folder_) / file.name).string(), file.bytes);
    redirect_writes(folder_);
}

Playground::~Playground() {
    redirect_writes("");
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
}

std::vector<std::string> Playground::paths(const std::string& scene) const {
    std::vector<std::string> paths{scene, folder_, folder_ + "/none.toml", "none.obj", ""};
    for (auto& file : kDamaged) paths.push_back((fs::path(folder_) / file.name).string());
    std::error_code ignored;
    if (!fs::is_regular_file(scene, ignored)) return paths;
    auto beside = list_folder(fs::absolute(scene).parent_path().string(), scene_extensions());
    for (auto& entry : beside.entries)
        paths.push_back((fs::path(beside.path) / entry.name).string());
    return paths;
}

}  // namespace tl
