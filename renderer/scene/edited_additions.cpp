// Additions of an EditedScene: their parts are made, put behind the scene's own, and taken away.
#include <algorithm>
#include <span>
#include <type_traits>
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
const AddedPart* added_part(const std::vector<std::shared_ptr<AddedPart>>& parts,
                            const ItemId& id) {
    for (auto& part : parts)
        if (id.index >= count_of(part->begin, id.kind) &&
            id.index < count_of(end_of(*part), id.kind))
            return part.get();
    return nullptr;
}

/// Throws where a cloud and a sphere of it are both transformed.
void check_spheres(const SceneEdits& edits, std::uint32_t cloud, const PointRange& range) {
    if (range.splats) return;
    auto first =
        edits.objects.lower_bound({ObjectKind::sphere, static_cast<std::uint32_t>(range.first)});
    if (first == edits.objects.end() || first->first.kind != ObjectKind::sphere) return;
    if (std::uint32_t index = first->first.index; index < range.first + range.count)
        throw UserError("sphere " + std::to_string(index) + " is one of cloud " +
                        std::to_string(cloud) + "; move one of the two");
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
    const SceneEnd end = parts.empty() ? begin : end_of(*parts.back());
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
        bool is_cloud = id.kind == ObjectKind::cloud;
        if (!is_scaled_by_axes(id) && !transform.is_uniform())
            throw UserError(std::string("a ") + name_of(id.kind) + " takes one scale for all axes");
        if (is_cloud) {
            auto* part = added_part(parts, item_of(id));
            check_spheres(edits, id.index,
                          part ? part->clouds[id.index - part->begin.clouds] : clouds_[id.index]);
        }
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
            copy_cloud(part, index, source);
            break;
        case ItemKind::gaussians:
            copy_element(to, &Scene::gaussians, source, index, [&] {
                return std::get<GaussianSet>(original({ObjectKind::gaussians, index}));
            });
            break;
    }
    name_part(part, addition.name);
}

void EditedScene::copy_cloud(AddedPart& part, std::uint32_t index, const AddedPart* source) const {
    PointRange range = source ? source->clouds[index - source->begin.clouds] : clouds_[index];
    auto append = [&](auto list) {
        auto& to = part.scene.*list;
        using List = std::remove_cvref_t<decltype(to)>;
        auto elements = source ? elements_of(source->scene.*list, range)
                               : std::get<List>(original({ObjectKind::cloud, index}));
        range.first = to.size();
        to.insert(to.end(), elements.begin(), elements.end());
    };
    range.splats ? append(&Scene::splats) : append(&Scene::spheres);
    part.clouds.push_back(range);
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
        parts.push_back(made_part(addition, end, parts, observer));
        end = end_of(*parts.back());
    }
    prepared.n_kept = n_kept;
    prepared.parts = std::move(parts);
}

std::shared_ptr<AddedPart> EditedScene::made_part(const SceneAddition& addition,
                                                  const SceneEnd& begin, const Parts& earlier,
                                                  const ReadObserver& observer) const {
    auto kept = addition.kept ? *addition.kept : KeptPart{};
    bool is_read = kept.part && same_end(kept.part->begin, begin);
    if (is_read && kept.is_placed) return kept.part;
    auto part = std::make_shared<AddedPart>(is_read ? *kept.part : empty_part(begin));
    if (addition.copied) {
        fill_copy(*part, addition, earlier);
    } else {
        if (!is_read) fill_part(*part, addition, observer);
        place_part(*part, addition);
    }
    return part;
}

std::shared_ptr<AddedPart> EditedScene::load_part(const SceneAddition& addition,
                                                  const ReadObserver& observer) const {
    auto part = std::make_shared<AddedPart>(empty_part(end_after(edits_.added.size())));
    fill_part(*part, addition, observer);
    return part;
}

void EditedScene::drop_deleted_additions(SceneEdits& edits) const {
    auto& deleted = edits.marks.deleted;
    auto in_deleted_cloud = [&](std::uint32_t sphere, std::size_t addition) {
        auto end = static_cast<std::uint32_t>(ends_[addition + 1].clouds);
        for (auto i = static_cast<std::uint32_t>(ends_[addition].clouds); i < end; ++i)
            if (!clouds_[i].splats && sphere - clouds_[i].first < clouds_[i].count)
                return deleted.contains({ItemKind::cloud, i});
        return false;
    };
    auto is_deleted = [&](const ItemId& id, std::size_t addition) {
        return deleted.contains(id) ||
               (id.kind == ItemKind::sphere && in_deleted_cloud(id.index, addition));
    };
    auto all_deleted = [&](std::size_t addition) {
        for (std::size_t i = 0; i < kItemKinds; ++i) {
            auto kind = static_cast<ItemKind>(i);
            auto first = static_cast<std::uint32_t>(count_of(ends_[addition], kind));
            for (auto k = first; k < count_of(ends_[addition + 1], kind); ++k)
                if (!is_deleted({kind, k}, addition)) return false;
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

void EditedScene::restore_after(const SceneEnd& end) {
    auto beyond = [&](const ItemId& id) { return id.index >= count_of(end, id.kind); };
    for (auto& [index, material] : materials_)
        if (beyond({ItemKind::material, index})) scene_->materials[index] = material;
    for (auto& [index, light] : lights_)
        if (beyond({ItemKind::light, index})) scene_->lights[index] = light;
    for (auto& [id, object] : objects_)
        if (beyond(item_of(id))) put(id, object);
    for (auto& [id, name] : names_)
        if (beyond(id)) *name_in_scene(id) = name;
}

void EditedScene::take_additions(std::size_t n_kept) {
    restore_after(ends_[n_kept]);
    while (edits_.added.size() > n_kept) {
        auto& addition = edits_.added.back();
        const SceneEnd begin = ends_[edits_.added.size() - 1];
        auto part = std::make_shared<AddedPart>(take_part(*scene_, begin));
        auto first = clouds_.begin() + static_cast<std::ptrdiff_t>(begin.clouds);
        part->clouds.assign(first, clouds_.end());
        clouds_.erase(first, clouds_.end());
        *addition.kept = {part, true};
        edits_.added.pop_back();
        ends_.pop_back();
    }
    forget_after(ends_.back());
}

void EditedScene::change_additions(const SceneEdits& edits, std::size_t n_kept,
                                   const Parts& parts) {
    if (n_kept < edits_.added.size()) take_additions(n_kept);
    for (auto& part : parts) {
        clouds_.insert(clouds_.end(), part->clouds.begin(), part->clouds.end());
        ends_.push_back(end_of(*part));
        append_part(*scene_, *part);
    }
    edits_.added = edits.added;
    for (auto& addition : edits_.added) {
        if (!addition.kept) addition.kept = std::make_shared<KeptPart>();
        addition.kept->part.reset();
    }
    // Emissive surfaces replace default lights, but no light that the user has added.
    bool lights_added = ends_.back().items.lights > ends_.front().items.lights;
    scene_->default_lights = default_lights_ && !lights_added;
}

}  // namespace tl
