// Parts that were added to an open scene: materials, lights, shapes, model files, and copies.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/read_observer.h"
#include "renderer/scene/scene_items.h"
#include "renderer/scene/transform.h"

namespace tl {

/// An extent of a scene's lists.
struct SceneEnd {
    SceneMark items;
    std::size_t textures = 0, clouds = 0;
    float duration = 0;  ///< Scene::duration
};

/// Number of parts of a kind up to there.
[[nodiscard]] std::size_t count_of(const SceneEnd& end, ItemKind kind);
[[nodiscard]] bool same_end(const SceneEnd& a, const SceneEnd& b);

/// The lists of an addition. They go on where those of the scene end: the elements before
/// `begin` are empty, so that all indices are the scene's.
struct AddedPart {
    SceneEnd begin;
    Scene scene;
    std::vector<PointRange> clouds{};  ///< those of the addition alone
    glm::dvec3 offset{0};              ///< subtracted from the coordinates, until it is placed
};

/// A part while the scene does not have it: read in advance, or taken away and kept for a redo.
struct KeptPart {
    std::shared_ptr<AddedPart> part{};  ///< null: the scene has it, or it was never made
    bool is_placed = false;             ///< place_part() is done
};

/// One addition. It names what it is made from, so that it can be saved and made again.
struct SceneAddition {
    ItemKind kind = ItemKind::mesh;  ///< of a model file: mesh, whatever it contains
    std::string name{};
    std::optional<std::uint32_t> copied{};  ///< number of the copied part, of the same kind
    std::string shape{};                    ///< mesh: id of a shape (shapes.h)
    std::string file{};                     ///< mesh: absolute path of a model file
    /// Transform of a shape, a model or a sphere; the sphere's radius is 1 before it.
    Transform place{};
    /// Material of everything in the part. None: a model's own, the default for all else.
    std::optional<std::uint32_t> material{};
    Light light{};  ///< the new light, unless it is a copy
    /// Shared by all states of the edits that have this addition, so that it is made again without
    /// its file; or null. Equality ignores it. apply() takes the part, or puts it here.
    std::shared_ptr<KeptPart> kept{};

    bool operator==(const SceneAddition& other) const;
};

/// Reads meshes, points and patches of a model file into a scene as add_model does; with
/// `materials`, its materials as well. Returns the offset that was subtracted from its coordinates.
/// Defined in loaders/added_model.cpp. Throws UserError.
[[nodiscard]] glm::dvec3 read_added_model(Scene& scene, const std::string& path, bool materials,
                                          const ReadObserver& observer);

/// Names the only mesh, set of patches or Gaussians of a part; several keep the names of their
/// file.
void name_part(AddedPart& part, const std::string& name);
/// An AddedPart without contents.
[[nodiscard]] AddedPart empty_part(const SceneEnd& begin);
/// The end of the lists of a part, for the next one.
[[nodiscard]] SceneEnd end_of(const AddedPart& part);
/// Fills a part from a shape, a sphere, a light, a material or a file; not from a copy. It is not
/// placed yet.
void fill_part(AddedPart& part, const SceneAddition& addition, const ReadObserver& observer);
/// Transforms a part, and gives it name and material, as the addition says.
void place_part(AddedPart& part, const SceneAddition& addition);
/// Moves the contents of a part to a scene whose lists end where the part begins.
void append_part(Scene& scene, AddedPart& part);
/// Moves what a scene's lists hold behind an earlier end to a part, but for its clouds.
[[nodiscard]] AddedPart take_part(Scene& scene, const SceneEnd& begin);

}  // namespace tl
