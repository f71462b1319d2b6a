// Model files that several tables of a scene file name are read once.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "renderer/scene/loaders/model_files.h"

namespace tl {

/// What a model file appended to a scene, before it is placed.
struct ReadModel {
    std::size_t first_material = 0;  ///< its materials' numbers start here
    std::vector<Material> materials;
    std::vector<Mesh> meshes;
    std::vector<Sphere> spheres;
    std::vector<Splat> splats;
    glm::dvec3 offset{0};  ///< taken away from all of its coordinates
};

/// The models of one scene file, kept until the last table that names them has been read.
class RepeatedModels {
  public:
    /// Says that one more table names a file, as the table writes it.
    void expect(const std::string& file) { ++uses_[file]; }
    /// Appends the file's model as add_model would, if it has been read with the same choice of
    /// `parts` and is of triangles and points alone. Its textures are shared, not repeated. False
    /// if it must be read.
    [[nodiscard]] bool add(Scene& scene, const std::string& file, ModelParts parts);
    /// Keeps what add_model has appended since `mark`, if another table will want it.
    void keep(const Scene& scene, const SceneMark& mark, const std::string& file, ModelParts parts);

  private:
    struct Key {
        std::string file;
        ModelParts parts;
        auto operator<=>(const Key&) const = default;
    };
    std::map<std::string, int> uses_;  ///< tables that have not been read yet
    std::map<Key, ReadModel> models_;
};

}  // namespace tl
