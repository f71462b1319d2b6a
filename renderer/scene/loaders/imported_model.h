// A model as a library has read it: plain data that is passed from the process of the library to
// the scene.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/scene/scene.h"

namespace tl {

struct ImportedTexture {
    std::string path;   ///< as the file spells it; "" for none
    int embedded = -1;  ///< index into ImportedModel::images; used instead of a path
    TextureWrap wrap_u = TextureWrap::repeat, wrap_v = TextureWrap::repeat;
};

struct ImportedMaterial {
    std::string name;
    vec3 diffuse{0.8f}, specular{0}, emission{0};
    float shininess = 0;  ///< Phong exponent
    float opacity = 1, ior = 1.5f;
    ImportedTexture diffuse_texture, alpha_texture, normal_texture;
};

/// An image inside of the model's file: an encoded one or, with a size, RGBA.
struct ImportedImage {
    int width = 0, height = 0;
    std::string bytes;
};

/// A mesh in its own space. Normals and texture coordinates are as in Mesh, colours as in the file.
struct ImportedMesh {
    std::string name;
    std::int32_t material = 0;
    std::vector<vec3> positions, normals, colors;
    std::vector<vec2> uvs;
    std::vector<glm::uvec3> triangles;
    std::vector<glm::uvec2> strokes;  ///< lines and, with the same vertex twice, points
};

/// A node's use of a mesh.
struct ImportedPlace {
    std::int32_t mesh = 0;
    glm::dmat4 transform{1};
};

struct ImportedLight {
    Light light;                ///< its radiance is the file's colour
    vec3 attenuation{1, 0, 0};  ///< divisor of the colour at distance d: x + y d + z d^2
};

struct ImportedModel {
    std::vector<ImportedMaterial> materials;
    std::vector<ImportedImage> images;
    std::vector<ImportedMesh> meshes;
    std::vector<ImportedPlace> places;
    std::vector<ImportedLight> lights;
    std::vector<Camera> cameras;
    std::vector<std::string> warnings;
};

/// Serialises a model to bytes.
[[nodiscard]] std::string packed(const ImportedModel& model);
/// Deserialises a model. Throws UserError for bytes that are cut off or have another origin.
[[nodiscard]] ImportedModel unpacked(std::string_view bytes);

}  // namespace tl
