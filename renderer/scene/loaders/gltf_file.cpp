#include "renderer/scene/loaders/gltf_file.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <filesystem>

#include "accel/parallel/error.h"
#include "accel/parallel/files.h"
#include "renderer/scene/limits.h"
#include "renderer/scene/loaders/gltf_compressed.h"
#include "renderer/scene/loaders/gltf_draco.h"

namespace tl {
namespace {

/// Keeps the encoded bytes of an image in a data URI. Images in a buffer view are read later, since
/// its range is not checked yet.
bool keep_encoded(tinygltf::Image* image, int, std::string*, std::string*, int, int,
                  const unsigned char* bytes, int size, void*) {
    if (image->bufferView < 0 && size > 0) image->image.assign(bytes, bytes + size);
    image->as_is = true;
    return true;
}

std::string one_line(std::string text) {
    text = std::string(trimmed(text));
    std::ranges::replace(text, '\n', ' ');
    return text;
}

template <class T>
double as_double(const char* bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    return static_cast<double>(value);
}

std::string numbered(const char* what, int index) {
    return std::string(what) + " " + std::to_string(index);
}

constexpr const char* kDraco = "KHR_draco_mesh_compression";

/// Whether the program reads an extension. Materials name theirs where they are read.
bool is_read(const std::string& extension) {
    constexpr const char* kRead[] = {kDraco, "KHR_lights_punctual", "KHR_mesh_quantization",
                                     "KHR_texture_transform", "EXT_mesh_gpu_instancing"};
    return extension.starts_with("KHR_materials_") ||
           std::ranges::find(kRead, extension) != std::end(kRead);
}

}  // namespace

struct GltfComponent {
    int code;  ///< in the file
    std::size_t size;
    double (*read)(const char* bytes);
    double full_scale;  ///< divisor of a normalised integer
    bool is_index;      ///< whether indices may have this type
};

constexpr GltfComponent kComponents[] = {
    {TINYGLTF_COMPONENT_TYPE_BYTE, 1, &as_double<std::int8_t>, 127, false},
    {TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE, 1, &as_double<std::uint8_t>, 255, true},
    {TINYGLTF_COMPONENT_TYPE_SHORT, 2, &as_double<std::int16_t>, 32767, false},
    {TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT, 2, &as_double<std::uint16_t>, 65535, true},
    {TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT, 4, &as_double<std::uint32_t>, 1, true},
    {TINYGLTF_COMPONENT_TYPE_FLOAT, 4, &as_double<float>, 1, false}};

const tinygltf::Value* extension_member(const tinygltf::ExtensionMap& extensions, const char* name,
                                        const char* key) {
    auto found = extensions.find(name);
    return found != extensions.end() && found->second.Has(key) ? &found->second.Get(key) : nullptr;
}

GltfFile::GltfFile(const std::string& path) : path_(path) {
    std::string bytes = without_compressed_indices(read_file(path, INT_MAX));
    std::string folder = std::filesystem::path(path).parent_path().string();
    auto size = static_cast<unsigned>(bytes.size());
    tinygltf::TinyGLTF reader;
    reader.SetImageLoader(&keep_encoded, nullptr);
    std::string errors, warnings;
    bool ok = false;
    try {
        if (bytes.starts_with("glTF"))
            ok = reader.LoadBinaryFromMemory(&model_, &errors, &warnings,
                                             reinterpret_cast<const unsigned char*>(bytes.data()),
                                             size, folder);
        else
            ok =
                reader.LoadASCIIFromString(&model_, &errors, &warnings, bytes.data(), size, folder);
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& error) {
        errors = error.what();
    }
    if (!ok) fail(errors.empty() ? "is no glTF 2.0" : one_line(errors));
    if (!model_.asset.version.starts_with("2"))
        fail("is of glTF version '" + model_.asset.version + "'; version 2 is read");
    check_required();
}

void GltfFile::check_required() const {
    std::string unknown;
    for (auto& name : model_.extensionsRequired) {
        if (name == kDraco && !has_draco())
            fail(
                "is compressed with Draco, which this build does not read; install libdraco-dev "
                "and build again, or export it without");
        if (!is_read(name)) unknown += (unknown.empty() ? "" : ", ") + name;
    }
    if (!unknown.empty())
        fail("needs extensions that are not read: " + unknown + "; export it without");
}

std::string GltfFile::ignored_extensions() const {
    std::string ignored;
    for (auto& name : model_.extensionsUsed)
        if (!is_read(name)) ignored += (ignored.empty() ? "" : ", ") + name;
    return ignored;
}

float GltfFile::full_scale(int accessor) const {
    auto& source = at(model_.accessors, accessor, "accessor");
    auto* type = std::ranges::find(kComponents, source.componentType, &GltfComponent::code);
    bool scales = source.normalized && type != std::end(kComponents);
    return scales ? static_cast<float>(type->full_scale) : 0;
}

void GltfFile::fail(const std::string& what) const {
    throw UserError(path_ + ": " + what);
}

std::string_view GltfFile::view_bytes(int index) const {
    auto& view = at(model_.bufferViews, index, "buffer view");
    if (view.buffer < 0 || static_cast<std::size_t>(view.buffer) >= model_.buffers.size())
        fail(numbered("buffer view", index) + " names buffer " + std::to_string(view.buffer) +
             " of " + std::to_string(model_.buffers.size()));
    auto& data = model_.buffers[static_cast<std::size_t>(view.buffer)].data;
    if (view.byteOffset > data.size() || view.byteLength > data.size() - view.byteOffset)
        fail(numbered("buffer view", index) + " ends beyond its buffer's " +
             std::to_string(data.size()) + " bytes; the file may be cut off");
    return {reinterpret_cast<const char*>(data.data()) + view.byteOffset, view.byteLength};
}

GltfFile::Rows GltfFile::rows(int index, int per_row) const {
    auto& accessor = at(model_.accessors, index, "accessor");
    std::string name = numbered("accessor", index);
    if (accessor.sparse.isSparse || accessor.bufferView < 0)
        fail(name + " is sparse, which is not read; export it without");
    auto* type = std::ranges::find(kComponents, accessor.componentType, &GltfComponent::code);
    if (type == std::end(kComponents))
        fail(name + " has the unknown component type " + std::to_string(accessor.componentType));
    if (tinygltf::GetNumComponentsInType(static_cast<std::uint32_t>(accessor.type)) != per_row)
        fail(name + " has not " + std::to_string(per_row) + " numbers a row");
    std::string_view bytes = view_bytes(accessor.bufferView);
    std::size_t row = type->size * static_cast<std::size_t>(per_row);
    std::size_t given =
        model_.bufferViews[static_cast<std::size_t>(accessor.bufferView)].byteStride;
    std::size_t stride = given ? given : row;
    if (accessor.count > std::size_t{kMostTriangles} || accessor.byteOffset > bytes.size() ||
        (accessor.count > 0 &&
         (bytes.size() - accessor.byteOffset < row ||
          (bytes.size() - accessor.byteOffset - row) / stride < accessor.count - 1)))
        fail(name + " ends beyond its buffer view's " + std::to_string(bytes.size()) + " bytes");
    return {bytes.data() + accessor.byteOffset, accessor.count, stride, type, accessor.normalized};
}

std::vector<float> GltfFile::numbers(int accessor, int per_row) const {
    Rows source = rows(accessor, per_row);
    double scale = source.normalized ? 1 / source.type->full_scale : 1;
    std::vector<float> values;
    values.reserve(source.count * static_cast<std::size_t>(per_row));
    for (std::size_t i = 0; i < source.count; ++i)
        for (std::size_t k = 0; k < static_cast<std::size_t>(per_row); ++k) {
            const char* place = source.data + i * source.stride + k * source.type->size;
            double value = source.type->read(place) * scale;
            values.push_back(static_cast<float>(source.normalized ? std::max(value, -1.0) : value));
        }
    return values;
}

std::vector<std::uint32_t> GltfFile::indices(int accessor) const {
    Rows source = rows(accessor, 1);
    if (!source.type->is_index)
        fail(numbered("accessor", accessor) + " holds indices that are not unsigned");
    std::vector<std::uint32_t> values(source.count);
    for (std::size_t i = 0; i < source.count; ++i)
        values[i] = static_cast<std::uint32_t>(source.type->read(source.data + i * source.stride));
    return values;
}

}  // namespace tl
