#include "renderer/scene/export/glb_writer.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"

namespace tl {
namespace {

// Codes of the format.
constexpr int kFloat = 5126, kUint16 = 5123, kUint32 = 5125;
constexpr int kVertexBuffer = 34962, kIndexBuffer = 34963;
/// Size limit of a file, whose header has 32 bits for it. The size of the JSON is checked at the
/// end.
constexpr std::size_t kMostBytes = UINT32_MAX;

[[noreturn]] void refuse_size() {
    throw UserError(
        "the scene is too large for a .glb, which holds 4 GiB at most; export a part of it");
}

std::string words(std::initializer_list<std::size_t> values) {
    std::string bytes;
    for (auto value : values)
        for (int shift = 0; shift < 32; shift += 8)
            bytes += static_cast<char>(value >> shift & 0xff);
    return bytes;
}

template <class T>
std::string_view bytes_of(std::span<const T> values) {
    return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

void pad(std::string& text, char with) {
    text.resize((text.size() + 3) / 4 * 4, with);
}

}  // namespace

double json_number(double value) {
    auto single = static_cast<float>(value);
    if (!std::isfinite(value) || static_cast<double>(single) != value) return value;
    return number_in<double>(number_text(single)).value_or(value);
}

Json json_numbers(std::span<const float> values) {
    Json list = Json::array();
    for (float value : values) list.push_back(json_number(static_cast<double>(value)));
    return list;
}

int GltfList::add(const Json& element) {
    if (size_ > 0) text_ += ',';
    text_ += element.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text_.size() > kMostBytes) refuse_size();
    return size_++;
}

int GlbWriter::add_view(std::string_view bytes, int target) {
    if (bytes.size() > kMostBytes - buffer_.size()) refuse_size();
    Json view{{"buffer", 0}, {"byteOffset", buffer_.size()}, {"byteLength", bytes.size()}};
    if (target) view["target"] = target;
    buffer_ += bytes;
    pad(buffer_, '\0');
    return views_.add(view);
}

int GlbWriter::add_rows(std::span<const float> values, int per_row, AccessorUse use) {
    constexpr const char* kTypes[] = {"SCALAR", "VEC2", "VEC3", "VEC4"};
    bool is_vertex = use == AccessorUse::positions || use == AccessorUse::vertices;
    auto n = static_cast<std::size_t>(per_row);
    Json accessor{{"bufferView", add_view(bytes_of(values), is_vertex ? kVertexBuffer : 0)},
                  {"componentType", kFloat},
                  {"count", values.size() / n},
                  {"type", kTypes[per_row - 1]}};
    if (use == AccessorUse::positions || use == AccessorUse::times) {
        std::vector<float> least(values.begin(), values.begin() + per_row), most = least;
        for (std::size_t i = 0; i < values.size(); ++i) {
            least[i % n] = std::min(least[i % n], values[i]);
            most[i % n] = std::max(most[i % n], values[i]);
        }
        accessor["min"] = json_numbers(least);
        accessor["max"] = json_numbers(most);
    }
    return accessors_.add(accessor);
}

int GlbWriter::add_vectors(std::span<const vec3> values, AccessorUse use) {
    static_assert(sizeof(vec3) == 3 * sizeof(float));
    return add_rows({reinterpret_cast<const float*>(values.data()), 3 * values.size()}, 3, use);
}

int GlbWriter::add_indices(std::span<const std::uint32_t> indices) {
    // Index 65535 would restart a strip.
    bool is_small = std::ranges::all_of(indices, [](auto index) { return index < 65535; });
    Json accessor;
    if (is_small) {
        std::vector<std::uint16_t> small(indices.begin(), indices.end());
        accessor["bufferView"] = add_view(bytes_of<std::uint16_t>(small), kIndexBuffer);
    } else {
        accessor["bufferView"] = add_view(bytes_of(indices), kIndexBuffer);
    }
    accessor["componentType"] = is_small ? kUint16 : kUint32;
    accessor["count"] = indices.size();
    accessor["type"] = "SCALAR";
    return accessors_.add(accessor);
}

int GlbWriter::add_png(const std::string& name, std::string_view bytes) {
    return images.add(
        {{"name", name}, {"mimeType", "image/png"}, {"bufferView", add_view(bytes, 0)}});
}

std::string GlbWriter::json_text(const Json& scene) const {
    std::string text = R"({"asset":{"version":"2.0","generator":"Treelight"})";
    auto add = [&](const char* key, const std::string& value) {
        text += std::string(",\"") + key + "\":" + value;
    };
    auto add_list = [&](const char* key, const GltfList& list) {
        if (list.size() > 0) add(key, "[" + list.text() + "]");
    };
    if (!extensions_.empty()) add("extensionsUsed", Json(extensions_).dump());
    if (lights.size() > 0)
        add("extensions", R"({"KHR_lights_punctual":{"lights":[)" + lights.text() + "]}}");
    add("scene", "0");
    add("scenes", "[" + scene.dump(-1, ' ', false, Json::error_handler_t::replace) + "]");
    add_list("nodes", nodes);
    add_list("cameras", cameras);
    add_list("meshes", meshes);
    add_list("materials", materials);
    add_list("textures", textures);
    add_list("images", images);
    add_list("samplers", samplers);
    if (channels.size() > 0)
        add("animations", "[{\"channels\":[" + channels.text() + "],\"samplers\":[" +
                              channel_samplers.text() + "]}]");
    add_list("accessors", accessors_);
    add_list("bufferViews", views_);
    if (!buffer_.empty())
        add("buffers", "[{\"byteLength\":" + std::to_string(buffer_.size()) + "}]");
    return text + "}";
}

std::size_t GlbWriter::write(const std::string& path, Json scene) const {
    constexpr std::size_t kHeader = 12, kChunkHeader = 8;
    std::string json = json_text(scene);
    pad(json, ' ');
    std::size_t size = kHeader + kChunkHeader + json.size();
    if (!buffer_.empty()) size += kChunkHeader + buffer_.size();
    if (size > kMostBytes) refuse_size();
    FileWriter file(path);
    file.write("glTF" + words({2, size, json.size()}) + "JSON");
    file.write(json);
    if (!buffer_.empty()) {
        file.write(words({buffer_.size()}) + std::string("BIN\0", 4));
        file.write(buffer_);
    }
    file.finish();
    return size;
}

}  // namespace tl
