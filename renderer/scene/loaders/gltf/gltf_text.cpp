#include "renderer/scene/loaders/gltf/gltf_text.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json_depth.h"
#include "core/base/one_line.h"
#include "core/base/text.h"
#include "renderer/scene/loaders/gltf/gltf_container.h"
#include "renderer/scene/loaders/gltf/gltf_draco.h"

namespace tl {
namespace {

constexpr const char* kDracoCompression = "KHR_draco_mesh_compression";
constexpr const char* kReadExtensions[] = {
    kDracoCompression, "KHR_lights_punctual", "KHR_materials_clearcoat",
    "KHR_materials_emissive_strength", "KHR_materials_ior", "KHR_materials_pbrSpecularGlossiness",
    "KHR_materials_specular", "KHR_materials_transmission", "KHR_materials_unlit",
    "KHR_materials_volume", "KHR_mesh_quantization", "KHR_texture_transform",
    "EXT_mesh_gpu_instancing",
    // Extensions without a visible effect.
    "KHR_xmp", "KHR_xmp_json_ld"};

/// The member of an object; null if there is none.
const nlohmann::json* member_of(const nlohmann::json* object, const char* key) {
    if (!object || !object->is_object()) return nullptr;
    auto found = object->find(key);
    return found == object->end() ? nullptr : &*found;
}

/// The texts in a list.
std::vector<std::string> names_in(const nlohmann::json* list) {
    std::vector<std::string> names;
    if (!list || !list->is_array()) return names;
    for (auto& name : *list)
        if (name.is_string()) names.push_back(name.get<std::string>());
    return names;
}

/// A version in the file's asset, which some programs write as a number; "" if it is missing.
std::string version_in(const nlohmann::json& file, const char* key) {
    auto* version = member_of(member_of(&file, "asset"), key);
    if (!version || !(version->is_string() || version->is_number())) return {};
    return (version->is_string() ? version->get<std::string>() : version->dump()).substr(0, 8);
}

/// Refuses versions that are not read, and a file that names none.
void check_version(const nlohmann::json& file) {
    std::string version = version_in(file, "version"), least = version_in(file, "minVersion");
    if (!version.empty() && !version.starts_with("2")) refuse_gltf_version(version);
    if (least > "2.0") refuse_gltf_version(least);
    if (!version.empty()) return;
    // Lists were tables of named elements before.
    for (auto* key : {"buffers", "accessors", "meshes", "nodes"})
        if (auto* list = member_of(&file, key); list && list->is_object())
            refuse_gltf_version("1.0");
    throw UserError("is no glTF 2.0: its \"asset\" has no \"version\"; export it again");
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

/// The elements of a list of the file; none where there is no such list.
nlohmann::json::array_t* list_of(nlohmann::json& file, const char* key) {
    auto found = file.find(key);
    return found == file.end() ? nullptr : found->get_ptr<nlohmann::json::array_t*>();
}

/// The member of an element, 0 or more.
std::optional<std::size_t> count_in(const nlohmann::json& element, const char* key) {
    auto* number = member_of(&element, key);
    if (!number || !number->is_number_unsigned()) return {};
    return number->get<std::size_t>();
}

std::string uri_of(const nlohmann::json& element) {
    auto* uri = member_of(&element, "uri");
    return uri && uri->is_string() ? uri->get<std::string>() : std::string();
}

/// Takes the buffers out of the file. Refuses those without data, which are placeholders for
/// compressed ones.
std::vector<GltfSource> take_buffers(nlohmann::json& file, bool is_binary) {
    std::vector<GltfSource> sources;
    auto* buffers = list_of(file, "buffers");
    if (!buffers) return sources;
    auto unread = unread_extensions(names_in(member_of(&file, "extensionsUsed")));
    for (auto& buffer : *buffers) {
        std::string name = "buffer " + std::to_string(sources.size());
        auto size = count_in(buffer, "byteLength");
        if (!size) throw UserError(name + " has no 'byteLength' of 0 or more bytes");
        std::string uri = uri_of(buffer);
        if (uri.empty() && *size > 0 && (!sources.empty() || !is_binary))
            throw UserError(name + " has no data" +
                            (unread.empty() ? "; its 'uri' is missing"
                                            : ", without extensions that are not read: " + unread));
        sources.push_back({.uri = std::move(uri), .size = *size});
    }
    return sources;
}

/// Takes the images out of the file; an image without data is one that no texture shows.
std::vector<GltfSource> take_images(nlohmann::json& file) {
    std::vector<GltfSource> sources;
    auto* images = list_of(file, "images");
    if (!images) return sources;
    for (auto& image : *images) {
        auto view = count_in(image, "bufferView");
        bool has_view = view && *view < INT_MAX;
        sources.push_back({.uri = has_view ? std::string() : uri_of(image),
                           .view = has_view ? static_cast<int>(*view) : -1});
    }
    return sources;
}

/// Takes the strides out of the buffer views. Refuses views that begin beyond their buffers.
std::vector<std::size_t> take_strides(nlohmann::json& file,
                                      const std::vector<GltfSource>& buffers) {
    std::vector<std::size_t> strides;
    auto* views = list_of(file, "bufferViews");
    if (!views) return strides;
    for (auto& view : *views) {
        std::string name = "buffer view " + std::to_string(strides.size());
        auto buffer = count_in(view, "buffer");
        if (!buffer || *buffer >= buffers.size()) throw UserError(name + " names no buffer");
        if (count_in(view, "byteOffset").value_or(0) > buffers[*buffer].size)
            throw UserError(name + " begins beyond its buffer's " +
                            std::to_string(buffers[*buffer].size) +
                            " bytes; the file may be cut off");
        strides.push_back(count_in(view, "byteStride").value_or(0));
        view.erase("byteStride");
    }
    return strides;
}

/// Gives a buffer view to accessors of indices that have none.
std::vector<std::size_t> give_view_to_indices(nlohmann::json& file, std::size_t n_views) {
    auto* accessors = list_of(file, "accessors");
    auto* meshes = list_of(file, "meshes");
    std::set<std::size_t> changed;
    if (!accessors || !meshes) return {};
    for (auto& mesh : *meshes) {
        auto* primitives = member_of(&mesh, "primitives");
        if (!primitives || !primitives->is_array()) continue;
        for (auto& primitive : *primitives) {
            auto index = count_in(primitive, "indices");
            if (!index || *index >= accessors->size()) continue;
            auto& accessor = (*accessors)[*index];
            if (!accessor.is_object() || count_in(accessor, "bufferView")) continue;
            accessor["bufferView"] = n_views;
            changed.insert(*index);
        }
    }
    if (!changed.empty()) {
        auto& views = file["bufferViews"];
        if (!views.is_array()) views = nlohmann::json::array();
        views.push_back({{"buffer", 0}, {"byteLength", 1}});
    }
    return {changed.begin(), changed.end()};
}

/// Spells whole numbers without a fraction, as tinygltf wants those of counts and indices: 3.0.
void make_integers(nlohmann::json& value) {
    constexpr double kMost = INT_MAX;  // of the integers that tinygltf has for extensions
    if (value.is_structured()) {
        for (auto& element : value) make_integers(element);
    } else if (value.is_number_float()) {
        double number = value.get<double>();
        if (number != std::floor(number) || std::abs(number) > kMost) return;
        if (number >= 0)
            value = static_cast<std::uint64_t>(number);
        else
            value = static_cast<std::int64_t>(number);
    }
}

nlohmann::json parsed_json(std::string_view text) {
    if (trimmed(text).empty()) throw UserError("is empty; there is no JSON in it");
    if (json_depth(text) > kDeepestJson)
        throw UserError("its JSON is nested more than " + std::to_string(kDeepestJson) +
                        " levels deep, which is not read");
    try {
        auto file = nlohmann::json::parse(text);
        if (file.is_object()) return file;
    } catch (const nlohmann::json::exception& error) {
        throw UserError("is no JSON, and no .glb either: " + one_line(error.what()));
    }
    throw UserError("is no glTF 2.0: its JSON is not an object");
}

}  // namespace

std::string unread_extensions(const std::vector<std::string>& names) {
    std::set<std::string> known(std::begin(kReadExtensions), std::end(kReadExtensions));
    std::vector<std::string> unread;
    for (auto& name : names)
        if (known.insert(name).second) unread.push_back(name);
    return joined(unread);
}

GltfText read_gltf_text(std::string_view json, bool is_binary) {
    nlohmann::json file = parsed_json(json);
    check_version(file);
    make_integers(file);
    check_required(file);
    GltfText text;
    text.buffers = take_buffers(file, is_binary);
    text.images = take_images(file);
    text.strides = take_strides(file, text.buffers);
    text.indices_without_view = give_view_to_indices(file, text.strides.size());
    file.erase("buffers");
    file.erase("images");
    text.json = file.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return text;
}

}  // namespace tl
