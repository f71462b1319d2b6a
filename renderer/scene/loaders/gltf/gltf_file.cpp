#include "renderer/scene/loaders/gltf/gltf_file.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <filesystem>

#include "accel/parallel/error.h"
#include "accel/parallel/files.h"
#include "accel/parallel/one_line.h"
#include "renderer/scene/limits.h"
#include "renderer/scene/loaders/gltf/gltf_text.h"
#include "renderer/scene/loaders/scene_paths.h"

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

/// Reads the buffers beside a file for tinygltf, which asks for each by its URI, in order.
class BufferFiles {
  public:
    BufferFiles(std::string path, std::vector<std::size_t> sizes)
        : path_(std::move(path)), sizes_(std::move(sizes)) {}

    [[nodiscard]] tinygltf::FsCallbacks callbacks() {
        return {
            [](const std::string&, void*) { return true; },
            [](const std::string& uri, void*) { return uri; },
            [](std::vector<unsigned char>* bytes, std::string* error, const std::string& uri,
               void* self) { return static_cast<BufferFiles*>(self)->read(*bytes, *error, uri); },
            nullptr, this};
    }
    /// Why a buffer could not be read; "" if none failed.
    [[nodiscard]] const std::string& fault() const { return fault_; }

  private:
    bool read(std::vector<unsigned char>& bytes, std::string& error, const std::string& uri) {
        try {
            auto folder = std::filesystem::path(path_).parent_path();
            std::error_code ignored;
            if (std::filesystem::is_directory(folder / uri, ignored))
                throw UserError(path_ + ": the buffer '" + one_line(uri) +
                                "' is a folder; name a file");
            std::string text = read_file(referenced_file(path_, "buffer", uri, {folder}));
            std::size_t size = n_read_ < sizes_.size() ? sizes_[n_read_++] : text.size();
            if (text.size() < size)
                throw UserError(path_ + ": buffer '" + one_line(uri) + "' has " +
                                std::to_string(text.size()) + " bytes of " + std::to_string(size) +
                                "; it is cut off");
            // A file may be longer than its buffer; tinygltf wants the same length.
            text.resize(size);
            bytes.assign(text.begin(), text.end());
            return true;
        } catch (const UserError& fault) {
            error = fault_ = fault.what();
            return false;
        }
    }

    std::string path_, fault_;
    std::vector<std::size_t> sizes_;
    std::size_t n_read_ = 0;
};

template <class T>
double as_double(const char* bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    return static_cast<double>(value);
}

std::string numbered(const char* what, int index) {
    return std::string(what) + " " + std::to_string(index);
}

}  // namespace

struct GltfComponent {
    int code;  ///< in the file
    std::size_t size;
    double (*read)(const char* bytes);
    double full_scale;  ///< divisor of a normalised integer
    bool is_index;      ///< whether indices may have this type

    /// A number; normalised integers from -1 to 1.
    [[nodiscard]] float number(const char* bytes, bool normalized) const {
        double value = read(bytes);
        return static_cast<float>(normalized ? std::max(value / full_scale, -1.0) : value);
    }
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
    CheckedGltf checked;
    std::string whole = read_file(path, INT_MAX);
    try {
        checked = checked_gltf(std::move(whole));
    } catch (const UserError& error) {
        fail(error.what());
    }
    std::string& bytes = checked.bytes;
    auto size = static_cast<unsigned>(bytes.size());
    BufferFiles buffers(path, checked.buffer_sizes);
    tinygltf::TinyGLTF reader;
    reader.SetImageLoader(&keep_encoded, nullptr);
    reader.SetFsCallbacks(buffers.callbacks());
    std::string errors, warnings;
    bool ok = false;
    try {
        if (bytes.starts_with("glTF"))
            ok = reader.LoadBinaryFromMemory(&model_, &errors, &warnings,
                                             reinterpret_cast<const unsigned char*>(bytes.data()),
                                             size, "");
        else
            ok = reader.LoadASCIIFromString(&model_, &errors, &warnings, bytes.data(), size, "");
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& error) {
        errors = error.what();
    }
    if (!buffers.fault().empty()) throw UserError(buffers.fault());
    if (!ok) fail(errors.empty() ? "is no glTF 2.0" : one_line(errors));
    n_bytes_ = bytes.size();
    for (auto& buffer : model_.buffers) n_bytes_ += buffer.data.size();
}

void GltfFile::begin_parsing() {
    std::size_t n_numbers = 0;
    for (auto& accessor : model_.accessors)
        n_numbers +=
            accessor.count *
            static_cast<std::size_t>(std::max(
                0, tinygltf::GetNumComponentsInType(static_cast<std::uint32_t>(accessor.type))));
    n_parsed_ = 0;
    parsing_.emplace("parsing", n_numbers);
}

void GltfFile::end_parsing() {
    parsing_->end();
    parsing_.reset();
}

std::string GltfFile::ignored_extensions() const {
    auto used = model_.extensionsUsed;
    for (auto& material : model_.materials)
        for (auto& [name, value] : material.extensions) used.push_back(name);
    return unread_extensions(used);
}

float GltfFile::full_scale(int accessor) const {
    auto& source = at(model_.accessors, accessor, "accessor");
    auto* type = std::ranges::find(kComponents, source.componentType, &GltfComponent::code);
    bool scales = source.normalized && type != std::end(kComponents);
    return scales ? static_cast<float>(type->full_scale) : 0;
}

void GltfFile::fail(const std::string& what) const {
    throw UserError(path_ + ": " + one_line(what, 1000));
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

GltfFile::Rows GltfFile::rows(const Place& place, int per_row) const {
    auto* type = std::ranges::find(kComponents, place.component, &GltfComponent::code);
    if (type == std::end(kComponents))
        fail(place.name + " has the unknown component type " + std::to_string(place.component));
    std::string_view bytes = view_bytes(place.view);
    std::size_t row = type->size * static_cast<std::size_t>(per_row);
    std::size_t given = model_.bufferViews[static_cast<std::size_t>(place.view)].byteStride;
    std::size_t stride = given ? given : row;
    if (place.count > std::size_t{kMostTriangles} || place.offset > bytes.size() ||
        (place.count > 0 && (bytes.size() - place.offset < row ||
                             (bytes.size() - place.offset - row) / stride < place.count - 1)))
        fail(place.name + " ends beyond its buffer view's " + std::to_string(bytes.size()) +
             " bytes");
    return {bytes.data() + place.offset, place.count, stride, type};
}

GltfFile::Rows GltfFile::rows(int index, int per_row) const {
    auto& accessor = at(model_.accessors, index, "accessor");
    std::string name = numbered("accessor", index);
    if (tinygltf::GetNumComponentsInType(static_cast<std::uint32_t>(accessor.type)) != per_row)
        fail(name + " has not " + std::to_string(per_row) + " numbers a row");
    if (accessor.bufferView < 0) fail(name + " has no buffer view, so that it has no data");
    return rows(
        {name, accessor.bufferView, accessor.byteOffset, accessor.count, accessor.componentType},
        per_row);
}

std::vector<float> GltfFile::numbers(int index, int per_row) const {
    auto& accessor = at(model_.accessors, index, "accessor");
    auto n = static_cast<std::size_t>(per_row);
    std::vector<float> values;
    if (accessor.sparse.isSparse && accessor.bufferView < 0) {
        // Zeros take no room in the file: there may be as many as it has bytes.
        if (accessor.count > n_bytes_)
            fail(numbered("accessor", index) + " has " + std::to_string(accessor.count) +
                 " rows, more than the file has bytes");
        values.resize(accessor.count * n);
    } else {
        Rows source = rows(index, per_row);
        values.reserve(source.count * n);
        for (std::size_t i = 0; i < source.count; ++i) {
            parsed(n);
            for (std::size_t k = 0; k < n; ++k)
                values.push_back(source.type->number(
                    source.data + i * source.stride + k * source.type->size, accessor.normalized));
        }
    }
    if (accessor.sparse.isSparse) replace_sparse(index, per_row, values);
    return values;
}

std::vector<float> GltfFile::numbers(int index, int per_row,
                                     std::span<const std::uint32_t> wanted) const {
    auto& accessor = at(model_.accessors, index, "accessor");
    auto n = static_cast<std::size_t>(per_row);
    std::vector<float> values;
    values.reserve(wanted.size() * n);
    auto check = [&](std::size_t row, std::size_t count) {
        if (row >= count)
            fail(numbered("accessor", index) + " has " + std::to_string(count) +
                 " rows; its mesh names row " + std::to_string(row));
    };
    if (accessor.sparse.isSparse) {
        std::vector<float> all = numbers(index, per_row);
        for (std::size_t row : wanted) {
            check(row, all.size() / n);
            for (std::size_t k = 0; k < n; ++k) values.push_back(all[row * n + k]);
        }
        return values;
    }
    Rows source = rows(index, per_row);
    for (std::size_t row : wanted) {
        check(row, source.count);
        parsed(n);
        for (std::size_t k = 0; k < n; ++k)
            values.push_back(source.type->number(
                source.data + row * source.stride + k * source.type->size, accessor.normalized));
    }
    return values;
}

/// Puts the rows that a sparse accessor lists in the place of those that it is based on.
void GltfFile::replace_sparse(int index, int per_row, std::vector<float>& values) const {
    auto& accessor = at(model_.accessors, index, "accessor");
    auto& sparse = accessor.sparse;
    std::string name = "sparse " + numbered("accessor", index);
    auto n = static_cast<std::size_t>(per_row);
    auto count = static_cast<std::size_t>(std::max(sparse.count, 0));
    auto offset = [](int bytes) { return static_cast<std::size_t>(std::max(bytes, 0)); };
    Rows places = rows({name, sparse.indices.bufferView, offset(sparse.indices.byteOffset), count,
                        sparse.indices.componentType},
                       1);
    Rows source = rows({name, sparse.values.bufferView, offset(sparse.values.byteOffset), count,
                        accessor.componentType},
                       per_row);
    if (!places.type->is_index) fail(name + " holds indices that are not unsigned");
    for (std::size_t i = 0; i < count; ++i) {
        auto row = static_cast<std::size_t>(places.type->read(places.data + i * places.stride));
        if (row >= values.size() / n)
            fail(name + " names row " + std::to_string(row) + "; it has " +
                 std::to_string(values.size() / n));
        for (std::size_t k = 0; k < n; ++k)
            values[row * n + k] = source.type->number(
                source.data + i * source.stride + k * source.type->size, accessor.normalized);
    }
}

std::vector<std::uint32_t> GltfFile::indices(int accessor) const {
    Rows source = rows(accessor, 1);
    if (!source.type->is_index)
        fail(numbered("accessor", accessor) + " holds indices that are not unsigned");
    if (model_.accessors[static_cast<std::size_t>(accessor)].sparse.isSparse)
        fail(numbered("accessor", accessor) + " holds sparse indices, which are not read");
    std::vector<std::uint32_t> values(source.count);
    for (std::size_t i = 0; i < source.count; ++i) {
        parsed(1);
        values[i] = static_cast<std::uint32_t>(source.type->read(source.data + i * source.stride));
    }
    return values;
}

}  // namespace tl
