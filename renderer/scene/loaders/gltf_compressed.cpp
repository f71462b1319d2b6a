#include "renderer/scene/loaders/gltf_compressed.h"

#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>

namespace tl {
namespace {

constexpr std::size_t kHeader = 12, kChunkHeader = 8;  // of a .glb

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

/// Whether the element `index` of a list has that member.
bool has_member(const nlohmann::json& list, const nlohmann::json& index, const char* member) {
    return list.is_array() && index.is_number_unsigned() &&
           index.get<std::size_t>() < list.size() &&
           list[index.get<std::size_t>()].contains(member);
}

/// Removes the indices; returns false if there were none to remove.
bool remove_indices(nlohmann::json& file) {
    bool changed = false;
    if (!file.is_object() || !file.contains("meshes") || !file["meshes"].is_array()) return false;
    for (auto& mesh : file["meshes"]) {
        if (!mesh.is_object() || !mesh.contains("primitives") || !mesh["primitives"].is_array())
            continue;
        for (auto& primitive : mesh["primitives"]) {
            bool is_compressed = primitive.is_object() && primitive.contains("extensions") &&
                                 primitive["extensions"].contains("KHR_draco_mesh_compression") &&
                                 primitive.contains("indices");
            if (!is_compressed || has_member(file["accessors"], primitive["indices"], "bufferView"))
                continue;
            primitive.erase("indices");
            changed = true;
        }
    }
    return changed;
}

}  // namespace

std::string without_compressed_indices(std::string bytes) {
    bool is_binary = bytes.starts_with("glTF");
    std::size_t begin = is_binary ? kHeader + kChunkHeader : 0;
    std::size_t length = is_binary ? json_length(bytes) : bytes.size();
    std::string_view text = std::string_view(bytes).substr(std::min(begin, bytes.size()), length);
    if (text.find("KHR_draco_mesh_compression") == std::string_view::npos) return bytes;
    auto file = nlohmann::json::parse(text, nullptr, false);
    if (file.is_discarded() || !remove_indices(file)) return bytes;
    std::string changed = file.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    if (!is_binary) return changed;
    changed.resize((changed.size() + 3) / 4 * 4, ' ');
    auto size = static_cast<std::uint32_t>(bytes.size() - length + changed.size());
    auto json_size = static_cast<std::uint32_t>(changed.size());
    std::memcpy(bytes.data() + 8, &size, sizeof size);
    std::memcpy(bytes.data() + kHeader, &json_size, sizeof json_size);
    bytes.replace(begin, length, changed);
    return bytes;
}

}  // namespace tl
