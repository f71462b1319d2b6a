#include "renderer/scene/loaders/gltf/gltf_text.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "accel/parallel/error.h"
#include "accel/parallel/json_depth.h"
#include "accel/parallel/text.h"
#include "renderer/scene/loaders/gltf/gltf_draco.h"

namespace tl {
namespace {

constexpr std::size_t kHeader = 12, kChunkHeader = 8;  // of a .glb
constexpr const char* kDracoCompression = "KHR_draco_mesh_compression";
constexpr const char* kReadExtensions[] = {
    kDracoCompression, "KHR_lights_punctual", "KHR_materials_clearcoat",
    "KHR_materials_emissive_strength", "KHR_materials_ior", "KHR_materials_pbrSpecularGlossiness",
    "KHR_materials_specular", "KHR_materials_transmission", "KHR_materials_unlit",
    "KHR_materials_volume", "KHR_mesh_quantization", "KHR_texture_transform",
    "EXT_mesh_gpu_instancing",
    // Of these, nothing is seen.
    "KHR_xmp", "KHR_xmp_json_ld"};

std::uint32_t word_at(std::string_view bytes, std::size_t place) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data() + place, sizeof word);
    return word;
}

/// The length of a .glb's JSON; 0 if there is none.
std::size_t json_length(std::string_view bytes) {
    if (bytes.size() < kHeader + kChunkHeader || bytes.substr(kHeader + 4, 4) != "JSON") return 0;
    std::size_t length = word_at(bytes, kHeader);
    return length <= bytes.size() - kHeader - kChunkHeader ? length : 0;
}

/// The member of an object; null if there is none.
const nlohmann::json* member_of(const nlohmann::json* object, const char* key) {
    if (!object || !object->is_object()) return nullptr;
    auto found = object->find(key);
    return found == object->end() ? nullptr : &*found;
}

/// The element of a list; null if there is none.
const nlohmann::json* element_of(const nlohmann::json* list, const nlohmann::json* index) {
    if (!list || !list->is_array() || !index || !index->is_number_unsigned()) return nullptr;
    auto i = index->get<std::size_t>();
    return i < list->size() ? &(*list)[i] : nullptr;
}

/// The texts in a list.
std::vector<std::string> names_in(const nlohmann::json* list) {
    std::vector<std::string> names;
    if (!list || !list->is_array()) return names;
    for (auto& name : *list)
        if (name.is_string()) names.push_back(name.get<std::string>());
    return names;
}

[[noreturn]] void refuse_version(const std::string& version) {
    throw UserError(version.starts_with("1")
                        ? "is glTF " + version +
                              ", this program reads 2.0: convert it with gltf-pipeline"
                        : "is glTF " + version + ", this program reads 2.0: export it as that");
}

void check_version(const nlohmann::json& file) {
    if (auto* version = member_of(member_of(&file, "asset"), "version");
        version && version->is_string()) {
        auto text = version->get<std::string>();
        if (!text.starts_with("2")) refuse_version(text.substr(0, 8));
        return;
    }
    // Lists were tables of named elements before.
    for (auto* key : {"buffers", "accessors", "meshes", "nodes"})
        if (auto* list = member_of(&file, key); list && list->is_object()) refuse_version("1.0");
}

void check_required(const nlohmann::json& file) {
    auto required = names_in(member_of(&file, "extensionsRequired"));
    if (std::ranges::find(required, kDracoCompression) != required.end() && !has_draco())
        throw UserError(
            "is compressed with Draco, which this build does not read; install libdraco-dev and "
            "build again, or export it without");
    if (auto unread = unread_extensions(required); !unread.empty())
        throw UserError("needs extensions that are not read: " + unread + "; export it without");
}

/// The sizes of buffers in files of their own. Refuses buffers without data, which are placeholders
/// for compressed ones.
std::vector<std::size_t> check_buffers(const nlohmann::json& file, bool is_binary) {
    std::vector<std::size_t> sizes;
    auto* buffers = member_of(&file, "buffers");
    if (!buffers || !buffers->is_array()) return sizes;
    auto unread = unread_extensions(names_in(member_of(&file, "extensionsUsed")));
    for (std::size_t i = 0; i < buffers->size(); ++i) {
        auto* uri = member_of(&(*buffers)[i], "uri");
        auto* size = member_of(&(*buffers)[i], "byteLength");
        if (!uri && (i > 0 || !is_binary))
            throw UserError("buffer " + std::to_string(i) + " has no data" +
                            (unread.empty() ? "; its 'uri' is missing"
                                            : ", without extensions that are not read: " + unread));
        if (uri && uri->is_string() && !uri->get_ref<const std::string&>().starts_with("data:"))
            sizes.push_back(size && size->is_number_unsigned() ? size->get<std::size_t>() : 0);
    }
    return sizes;
}

/// Refuses views that begin beyond their buffers: tinygltf counts pointers from there for images.
void check_views(const nlohmann::json& file) {
    auto* views = member_of(&file, "bufferViews");
    if (!views || !views->is_array()) return;
    for (std::size_t i = 0; i < views->size(); ++i) {
        auto* buffer = element_of(member_of(&file, "buffers"), member_of(&(*views)[i], "buffer"));
        if (!buffer) throw UserError("buffer view " + std::to_string(i) + " names no buffer");
        auto *size = member_of(buffer, "byteLength"),
             *begin = member_of(&(*views)[i], "byteOffset");
        if (!size || !size->is_number_unsigned() || !begin || !begin->is_number_unsigned())
            continue;
        if (begin->get<std::size_t>() > size->get<std::size_t>())
            throw UserError("buffer view " + std::to_string(i) + " begins beyond its buffer's " +
                            std::to_string(size->get<std::size_t>()) +
                            " bytes; the file may be cut off");
    }
}

/// Removes the indices of a compressed primitive. Returns whether there were any; refuses others
/// without data.
bool remove_indices(nlohmann::json& primitive, const nlohmann::json& file) {
    auto* indices = member_of(&primitive, "indices");
    auto* accessor = element_of(member_of(&file, "accessors"), indices);
    if (!accessor || element_of(member_of(&file, "bufferViews"), member_of(accessor, "bufferView")))
        return false;
    if (!member_of(member_of(&primitive, "extensions"), kDracoCompression))
        throw UserError("accessor " + std::to_string(indices->get<std::size_t>()) +
                        " holds indices but has no buffer view; the file is incomplete, or "
                        "compressed in a way that it does not tell");
    primitive.erase("indices");
    return true;
}

/// The same for all primitives.
bool remove_indices(nlohmann::json& file) {
    bool changed = false;
    auto meshes = file.find("meshes");
    if (meshes == file.end() || !meshes->is_array()) return false;
    for (auto& mesh : *meshes) {
        if (!mesh.is_object() || !mesh.contains("primitives") || !mesh["primitives"].is_array())
            continue;
        for (auto& primitive : mesh["primitives"])
            if (primitive.is_object()) changed |= remove_indices(primitive, file);
    }
    return changed;
}

}  // namespace

std::string unread_extensions(const std::vector<std::string>& names) {
    std::set<std::string> known(std::begin(kReadExtensions), std::end(kReadExtensions));
    std::vector<std::string> unread;
    for (auto& name : names)
        if (known.insert(name).second) unread.push_back(name);
    return joined(unread);
}

CheckedGltf checked_gltf(std::string bytes) {
    bool is_binary = bytes.starts_with("glTF");
    if (is_binary && bytes.size() >= 8)
        if (auto version = word_at(bytes, 4); version != 2)
            refuse_version(std::to_string(version) + ".0");
    std::size_t begin = is_binary ? kHeader + kChunkHeader : 0;
    std::size_t length = is_binary ? json_length(bytes) : bytes.size();
    std::string_view text = std::string_view(bytes).substr(std::min(begin, bytes.size()), length);
    if (json_depth(text) > kDeepestJson)
        throw UserError("its JSON is nested more than " + std::to_string(kDeepestJson) +
                        " levels deep, which is not read");
    auto file = nlohmann::json::parse(text, nullptr, false);
    if (!file.is_object()) return {std::move(bytes), {}};  // tinygltf tells what is wrong
    check_version(file);
    check_required(file);
    std::vector<std::size_t> sizes = check_buffers(file, is_binary);
    check_views(file);
    if (!remove_indices(file)) return {std::move(bytes), std::move(sizes)};
    std::string changed = file.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    if (!is_binary) return {std::move(changed), std::move(sizes)};
    changed.resize((changed.size() + 3) / 4 * 4, ' ');
    auto size = static_cast<std::uint32_t>(bytes.size() - length + changed.size());
    auto json_size = static_cast<std::uint32_t>(changed.size());
    std::memcpy(bytes.data() + 8, &size, sizeof size);
    std::memcpy(bytes.data() + kHeader, &json_size, sizeof json_size);
    bytes.replace(begin, length, changed);
    return {std::move(bytes), std::move(sizes)};
}

}  // namespace tl
