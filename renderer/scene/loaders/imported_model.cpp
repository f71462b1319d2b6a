#include "renderer/scene/loaders/imported_model.h"

#include <cstring>
#include <type_traits>

#include "core/base/error.h"

namespace tl {
namespace {

/// Appends values to bytes.
struct Packer {
    std::string bytes;

    void raw(const void* data, std::size_t size) {
        bytes.append(static_cast<const char*>(data), size);
    }
    std::size_t length(std::size_t size) {
        raw(&size, sizeof size);
        return size;
    }
};

/// Takes values from the front of bytes.
struct Unpacker {
    std::string_view bytes;

    void raw(void* data, std::size_t size) {
        if (size > bytes.size()) throw UserError("a model that was read came incomplete");
        std::memcpy(data, bytes.data(), size);
        bytes.remove_prefix(size);
    }
    /// Length of a stored list. The argument, its length before, is unused.
    std::size_t length(std::size_t) {
        std::size_t size = 0;
        raw(&size, sizeof size);
        if (size > bytes.size()) throw UserError("a model that was read came incomplete");
        return size;
    }
};

// pass() names the members of each type once, for both directions.

template <class Archive, class T>
requires std::is_trivially_copyable_v<T>
void pass(Archive& archive, T& value) {
    archive.raw(&value, sizeof value);
}
template <class Archive>
void pass(Archive& archive, std::string& text) {
    text.resize(archive.length(text.size()));
    archive.raw(text.data(), text.size());
}
template <class Archive>
void pass(Archive& archive, ImportedTexture& t);
template <class Archive>
void pass(Archive& archive, ImportedMaterial& m);
template <class Archive>
void pass(Archive& archive, ImportedImage& i);
template <class Archive>
void pass(Archive& archive, ImportedMesh& m);

template <class Archive, class T>
void pass(Archive& archive, std::vector<T>& list) {
    std::size_t size = archive.length(list.size());
    if constexpr (std::is_trivially_copyable_v<T>) {
        if constexpr (std::is_same_v<Archive, Unpacker>)
            if (size > archive.bytes.size() / sizeof(T))
                throw UserError("a model that was read came incomplete");
        list.resize(size);
        if (size > 0) archive.raw(list.data(), size * sizeof(T));
    } else {
        list.resize(size);
        for (T& element : list) pass(archive, element);
    }
}

template <class Archive, class... Values>
void pass_all(Archive& archive, Values&... values) {
    (pass(archive, values), ...);
}
template <class Archive>
void pass(Archive& archive, ImportedTexture& t) {
    pass_all(archive, t.path, t.embedded, t.wrap_u, t.wrap_v);
}
template <class Archive>
void pass(Archive& archive, ImportedMaterial& m) {
    pass_all(archive, m.name, m.diffuse, m.specular, m.emission, m.shininess, m.opacity, m.ior,
             m.diffuse_texture, m.alpha_texture, m.normal_texture);
}
template <class Archive>
void pass(Archive& archive, ImportedImage& i) {
    pass_all(archive, i.width, i.height, i.bytes);
}
template <class Archive>
void pass(Archive& archive, ImportedMesh& m) {
    pass_all(archive, m.name, m.material, m.positions, m.normals, m.colors, m.uvs, m.triangles,
             m.strokes);
}
template <class Archive>
void pass(Archive& archive, ImportedModel& m) {
    pass_all(archive, m.materials, m.images, m.meshes, m.places, m.lights, m.cameras, m.warnings);
}

}  // namespace

std::string packed(const ImportedModel& model) {
    Packer packer;
    // pass() serves both directions; here it only reads.
    pass(packer, const_cast<ImportedModel&>(model));
    return std::move(packer.bytes);
}

ImportedModel unpacked(std::string_view bytes) {
    Unpacker unpacker{bytes};
    ImportedModel model;
    pass(unpacker, model);
    return model;
}

}  // namespace tl
