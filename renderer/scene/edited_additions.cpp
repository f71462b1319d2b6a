// Additions of an EditedScene: their parts are made, put behind the scene's own, and taken away.
#include <algorithm>
#include <span>
#include <utility>

#include "core/base/error.h"
#include "renderer/scene/scene_edits.h"

namespace tl {
namespace {

/// Removes the keys of parts behind the end.
template <class Map>
void cut_indices(Map& map, std::size_t count) {
    std::erase_if(map, [&](auto& entry) { return entry.first >= count; });
}

template <class Value>
void cut_objects(std::map<ObjectId, Value>& objects, const SceneEnd& end) {
    std::erase_if(objects, [&](auto& entry) {
        return entry.first.index >= count_of(end, item_of(entry.first).kind);
    });
}

/// Removes the edits of parts behind the end, but for additions.
void cut_edits(SceneEdits& edits, const SceneEnd& end) {
    cut_indices(edits.materials, end.items.materials);
    cut_indices(edits.lights, end.items.lights);
    cut_objects(edits.objects, end);
    auto& marks = edits.marks;
    auto beyond = [&](const ItemId& id) { return id.index >= count_of(end, id.kind); };
    std::erase_if(marks.names, [&](auto& entry) { return beyond(entry.first); });
    std::erase_if(marks.hidden, beyond);
    std::erase_if(marks.deleted, beyond);
}

/// The part among `parts` that holds this number; null: none.
const AddedPart* added_part(const std::vector<AddedPart>& parts, const ItemId& id) {
    for (auto& part : parts)
        if (id.index >= count_of(part.begin, id.kind) && id.index < count_of(end_of(part), id.kind))
            return &part;
    return nullptr;
}

/// Appends an element of `list`, which `source` has; of `own()` where that is null.
template <class Element, class Own>
void copy_element(Scene& to, std::vector<Element> Scene::*list, const AddedPart* source,
                  std::uint32_t index, Own own) {
    (to.*list).push_back(source ? (source->scene.*list)[index] : own());
}

}  // namespace

void EditedScene::note_contents() {
    if (!ends_.empty()) return;
    clouds_ = clouds_of(*scene_);
    default_lights_ = scene_->default_lights;
    ends_.push_back(
        {SceneMark(*scene_), scene_->textures.size(), clouds_.size(), scene_->duration});
}

SceneEnd EditedScene::end_after(std::size_t n) const {
    if (n < ends_.size()) return ends_[n];
    return {SceneMark(*scene_), scene_->textures.size(), 0, scene_->duration};
}

std::optional<std::size_t> EditedScene::addition_of(const ItemId& id) const {
    for (std::size_t i = 0; i < edits_.added.size(); ++i)
        if (id.index >= count_of(ends_[i], id.kind) && id.index < count_of(ends_[i + 1], id.kind))
            return i;
    return std::nullopt;
}

std::size_t EditedScene::count(ItemKind kind) const {
    return count_of(end_after(edits_.added.size()), kind);
}

void EditedScene::check(const SceneEdits& edits) const {
    check(edits, end_after(edits_.added.size()), {});
}

void EditedScene::check(const SceneEdits& edits, const SceneEnd& begin, const Parts& parts) const {
    const SceneEnd end = parts.empty() ? begin : end_of(parts.back());
    auto require = [&](const ItemId& id) {
        std::string what = id.kind == ItemKind::patches     ? "set of patches"
                           : id.kind == ItemKind::gaussians ? "set of Gaussians"
                                                            : name_of(id.kind);
        std::size_t count = count_of(end, id.kind);
        if (id.index >= count)
            throw UserError("there is no " + what + " " + std::to_string(id.index) +
                            "; the scene has " + std::to_string(count) + ", from 0");
    };
    for (auto& [index, edit] : edits.materials) require({ItemKind::material, index});
    for (auto& [index, edit] : edits.lights) require({ItemKind::light, index});
    for (auto& [id, name] : edits.marks.names) require(id);
    for (auto* marked : {&edits.marks.hidden, &edits.marks.deleted})
        for (auto& id : *marked) require(id);
    for (auto& [id, transform] : edits.objects) {
        require(item_of(id));
        if (id.kind == ObjectKind::sphere && !transform.is_uniform())
            throw UserError("a sphere takes one scale for all axes");
        if (id.kind != ObjectKind::mesh) continue;
        auto* part = added_part(parts, item_of(id));
        auto& moved = part ? part->scene.meshes[id.index] : mesh(id.index);
        if (moved.instanced)
            throw UserError("mesh " + std::to_string(id.index) +
                            " is seen through instances alone; move these");
    }
}

void EditedScene::fill_copy(AddedPart& part, const SceneAddition& addition,
                            const Parts& earlier) const {
    const ItemId id{addition.kind, *addition.copied};
    if (id.index >= count_of(part.begin, id.kind))
        throw UserError("there is no " + std::string(name_of(id.kind)) + " " +
                        std::to_string(id.index) + " to copy");
    auto* source = added_part(earlier, id);
    auto& to = part.scene;
    const std::uint32_t index = id.index;
    switch (addition.kind) {
        case ItemKind::mesh:
            copy_element(to, &Scene::meshes, source, index, [&] {
                return std::get<Mesh>(original({ObjectKind::mesh, index}));
            });
            break;
        case ItemKind::patches:
            copy_element(to, &Scene::patches, source, index, [&] {
                return std::get<PatchSet>(original({ObjectKind::patches, index}));
            });
            break;
        case ItemKind::sphere:
            copy_element(to, &Scene::spheres, source, index, [&] {
                return std::get<Sphere>(original({ObjectKind::sphere, index}));
            });
            break;
        case ItemKind::instance:
            copy_element(to, &Scene::instances, source, index, [&] {
                return std::get<Instance>(original({ObjectKind::instance, index}));
            });
            break;
        case ItemKind::light:
            copy_element(to, &Scene::lights, source, index, [&] { return light_before(index); });
            break;
        case ItemKind::material:
            copy_element(to, &Scene::materials, source, index,
                         [&] { return material_before(index); });
            to.materials.back().name = addition.name;
            break;
        case ItemKind::cloud:
        case ItemKind::gaussians:
            throw UserError("clouds and Gaussians cannot be copied");
    }
    name_part(part, addition.name);
}

EditedScene::Object EditedScene::original(const ObjectId& id) const {
    auto known = objects_.find(id);
    return known == objects_.end() ? copy_of(id) : known->second;
}

void EditedScene::prepare_parts(const SceneEdits& edits, PreparedEdits& prepared,
                                const ReadObserver& observer) const {
    auto same = std::ranges::mismatch(edits.added, edits_.added);
    auto n_kept = static_cast<std::size_t>(same.in1 - edits.added.begin());
    bool ready = prepared.parts && prepared.n_kept == n_kept &&
                 prepared.parts->size() == edits.added.size() - n_kept;
    if (ready) return;
    Parts parts;
    SceneEnd end = end_after(n_kept);
    for (auto& addition : std::span(edits.added).subspan(n_kept)) {
        auto& loaded = addition.loaded;
        bool is_read = loaded && same_end(loaded->begin, end);
        AddedPart part = is_read ? *loaded : empty_part(end);
        if (addition.copied) {
            fill_copy(part, addition, parts);
        } else {
            if (!is_read) fill_part(part, addition, observer);
            place_part(part, addition);
        }
        parts.push_back(std::move(part));
        end = end_of(parts.back());
    }
    prepared.n_kept = n_kept;
    prepared.parts = std::move(parts);
}

std::shared_ptr<AddedPart> EditedScene::load_part(const SceneAddition& addition,
                                                  const ReadObserver& observer) const {
    auto part = std::make_shared<AddedPart>(empty_part(end_after(edits_.added.size())));
    fill_part(*part, addition, observer);
    return part;
}

void EditedScene::drop_deleted_additions(SceneEdits& edits) const {
    auto all_deleted = [&](std::size_t addition) {
        for (std::size_t i = 0; i < kItemKinds; ++i) {
            auto kind = static_cast<ItemKind>(i);
            auto first = static_cast<std::uint32_t>(count_of(ends_[addition], kind));
            for (auto k = first; k < count_of(ends_[addition + 1], kind); ++k)
                if (!edits.marks.deleted.contains({kind, k})) return false;
        }
        return true;
    };
    while (!edits.added.empty() && all_deleted(edits.added.size() - 1)) {
        edits.added.pop_back();
        cut_edits(edits, ends_[edits.added.size()]);
    }
}

void EditedScene::forget_after(const SceneEnd& end) {
    cut_indices(materials_, end.items.materials);
    cut_indices(lights_, end.items.lights);
    cut_objects(objects_, end);
    std::erase_if(
        names_, [&](auto& entry) { return entry.first.index >= count_of(end, entry.first.kind); });
    cut_edits(edits_, end);
}

void EditedScene::change_additions(const SceneEdits& edits, std::size_t n_kept,
                                   const Parts& parts) {
    if (n_kept < edits_.added.size()) {
        const SceneEnd end = ends_[n_kept];
        cut_back(*scene_, end);
        clouds_.resize(end.clouds);
        ends_.resize(n_kept + 1);
        forget_after(end);
    }
    for (auto& part : parts) {
        append_part(*scene_, part);
        clouds_.insert(clouds_.end(), part.clouds.begin(), part.clouds.end());
        ends_.push_back(end_of(part));
    }
    edits_.added = edits.added;
    // Emissive surfaces replace default lights, but no light that the user has added.
    bool lights_added = ends_.back().items.lights > ends_.front().items.lights;
    scene_->default_lights = default_lights_ && !lights_added;
}

}  // namespace tl
