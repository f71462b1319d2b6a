#include "session/session.h"

#include <algorithm>

#include "accel/bvh/inspect/tree_stats.h"
#include "core/base/console.h"
#include "core/base/error.h"

namespace tl {
namespace {

/// "scene.toml:12: [whitted] ", a prefix for errors in a section of settings.
std::string place_of(const Scene& scene, const std::string& section) {
    auto line = scene.settings_line.find(section);
    std::string place = scene.path;
    if (line != scene.settings_line.end()) {
        place += ":";
        place += std::to_string(line->second);
    }
    place += ": [" + section;
    place += "] ";
    return place;
}

/// Throws UserError for invalid settings of a scene file. Ignores unknown sections, such as that of
/// a builder that this build lacks.
void check_settings_of(const Scene& scene) {
    for (auto& [section, values] : scene.settings) {
        auto* known = find_declared_section(section);
        if (!known) continue;
        for (auto& [id, value] : values) {
            if (ignores_retired(section, id)) continue;
            try {
                (void)find_declaration(*known->settings, id, section).canonical(value);
            } catch (const UserError& error) {
                throw UserError(place_of(scene, section) + error.what());
            }
        }
    }
}

}  // namespace

Session::Session(Device& device, std::shared_ptr<Stream> stream, const ReadProgress& progress)
    : scene_(std::make_shared<Scene>()) {
    set_device(device, std::move(stream), progress);
}

Session::~Session() {
    // Trees are freed on the build stream, which does not wait for their readers.
    if (ahead_) finish_before_leaving();
}

void Session::finish_before_leaving() {
    try {
        finish_work();
    } catch (const UserError& error) {
        print_error(error.what());
    }
}

void Session::trim() {
    scratch_->release();
    try {
        film_.trim(*stream_);
    } catch (const UserError&) {
        // Then it keeps what it has.
    }
    device_->trim();
}

void Session::finish_work() {
    if (stream_) stream_->synchronize();
    if (ahead_) ahead_->synchronize();
}

Session::PreparedDevice Session::prepare_device(Device& device, std::shared_ptr<Stream> stream,
                                                const ReadProgress& progress) const {
    PreparedDevice prepared;
    prepared.device = &device;
    prepared.stream = std::move(stream);
    if (!prepared.stream) prepared.stream = device.create_stream();
    prepared.scratch = std::make_unique<Scratch>(*prepared.stream);
    prepared.timer = std::make_unique<StageTimer>(*prepared.stream);
    prepared.live = std::make_unique<LiveScene>(*prepared.stream, scene_, progress);
    prepared.live->set_builder(make_tree_builder(builder_id_, device));
    prepared.renderer = make_renderer(renderer_id_, device);
    prepared.film.resize(*prepared.stream, film_.extent());
    return prepared;
}

void Session::adopt(PreparedDevice prepared) {
    finish_before_leaving();
    denoiser_.clear();
    film_ = std::move(prepared.film);
    renderer_ = std::move(prepared.renderer);
    points_.reset();
    camera_media_ = {};
    live_ = std::move(prepared.live);
    ahead_.reset();
    timer_ = std::move(prepared.timer);
    scratch_ = std::move(prepared.scratch);
    std::swap(stream_, prepared.stream);
    device_ = prepared.device;
    ++versions_.scene, ++versions_.lights;
    apply_settings();
    restart();
}

void Session::set_device(Device& device, std::shared_ptr<Stream> stream,
                         const ReadProgress& progress) {
    if (device_ == &device && (!stream || stream == stream_)) return;
    adopt(prepare_device(device, std::move(stream), progress));
}

Session::PreparedScene Session::prepare_scene(std::shared_ptr<const Scene> scene,
                                              const ReadProgress& progress) const {
    PreparedScene prepared;
    prepared.live = std::make_unique<LiveScene>(*stream_, scene, progress);
    auto asked = [&](const char* key, const std::string& otherwise) {
        auto section = scene->settings.find("render");
        if (section == scene->settings.end() || !section->second.contains(key)) return otherwise;
        return section->second.at(key);
    };
    prepared.renderer_id = asked("renderer", renderer_id_);
    prepared.builder_id = asked("builder", builder_id_);
    try {
        prepared.renderer = make_renderer(prepared.renderer_id, *device_);
        prepared.live->set_builder(make_tree_builder(prepared.builder_id, *device_));
    } catch (const UserError& error) {
        throw UserError(place_of(*scene, "render") + error.what());
    }
    check_settings_of(*scene);
    prepared.scene = std::move(scene);
    return prepared;
}

void Session::adopt(PreparedScene prepared) {
    finish_work();
    points_.reset();
    camera_media_ = {};
    live_ = std::move(prepared.live);
    renderer_ = std::move(prepared.renderer);
    renderer_id_ = prepared.renderer_id;
    builder_id_ = prepared.builder_id;
    scene_ = std::move(prepared.scene);
    display_ = DisplayConfig{};
    sampling_ = SamplingConfig{};
    apply_settings();
    camera = scene_->camera;
    time = 0;
    told_tree_warning_ = false;
    ++versions_.scene, ++versions_.lights;
    restart();
    trim();
}

std::unique_ptr<LiveScene> Session::prepare_edited() const {
    auto live = std::make_unique<LiveScene>(*stream_, scene_);
    live->set_builder(make_tree_builder(builder_id_, *device_));
    return live;
}

void Session::follow_scene(const SceneChange& change, std::unique_ptr<LiveScene> prepared) {
    if (!change.any) return;
    finish_work();
    if (live_->taking_turns()) ahead_->stop(*live_);
    if (change.geometry) {
        points_.reset();
        camera_media_ = {};
        live_ = prepared ? std::move(prepared) : prepare_edited();
        apply_settings();
    } else {
        live_->refresh_shading(*stream_, change.environment);
    }
    ++versions_.scene, ++versions_.lights;
    restart();
}

void Session::set_renderer(const std::string& id, std::unique_ptr<Renderer> renderer) {
    finish_work();
    renderer_ = std::move(renderer);
    renderer_id_ = id;
    apply_settings();
    restart();
    trim();
}

void Session::set_builder(const std::string& id) {
    auto builder = make_tree_builder(id, *device_);
    finish_work();
    live_->set_builder(std::move(builder));
    builder_id_ = id;
    apply_settings();
    restart();
}

void Session::resize(Extent extent) {
    extent.width = std::max(extent.width, 1);
    extent.height = std::max(extent.height, 1);
    if (extent == film_.extent()) return;
    film_.resize(*stream_, extent);
    ++versions_.view;
    set_samples(0);
}

void Session::apply_settings() {
    auto apply_all = [&](const auto& sections) {
        for (auto& [section, values] : sections)
            for (auto& [id, value] : values) apply_setting(section, id, value);
    };
    apply_all(fallback_settings_);
    apply_all(scene_->settings);
    apply_all(chosen_settings_);
}

SettingsSections Session::sections() {
    SettingsSections all;
    for (auto kind : kSectionKinds) all.push_back(section(kind));
    return all;
}

SettingsSection Session::section(SectionKind kind) {
    switch (kind) {
        case SectionKind::renderer:
            return section_of(renderer_id_, *renderer_);
        case SectionKind::builder:
            return section_of(builder_id_, live_->builder());
        case SectionKind::tree:
            return section_of(live_->tree_config());
        case SectionKind::film:
            return section_of(display_);
        case SectionKind::sampling:
            break;
    }
    return section_of(sampling_);
}

bool Session::apply_setting(const std::string& section, const std::string& id,
                            const std::string& value) {
    if (ignores_retired(section, id)) return true;
    auto in_use = sections();
    auto* known = find_section(in_use, section);
    if (!known) return false;
    auto& setting = find_setting(known->settings, id, section);
    auto before = setting.text();
    setting.set(value);
    // A tree that has been built with the same value stays.
    if (known->kind == SectionKind::builder && setting.text() != before) live_->invalidate_tree();
    return true;
}

void Session::set_setting(const std::string& section, const std::string& id,
                          const std::string& value) {
    if (ignores_retired(section, id)) return;
    if (!apply_setting(section, id, value)) (void)find_declared(section, id).canonical(value);
    chosen_settings_[section][id] = value;
    if (section != "film") restart();
}

void Session::set_fallback(const std::string& section, const std::string& id,
                           const std::string& value) {
    fallback_settings_[section][id] = value;
    apply_settings();
    restart();
}

bool Session::chosen(const std::string& section, const std::string& id) const {
    auto found = chosen_settings_.find(section);
    return found != chosen_settings_.end() && found->second.contains(id);
}

void Session::choose(const Choices& choices) {
    auto without_film = [](Choices c) {
        c.settings.erase("film");
        return c;
    };
    if (without_film(choices) == without_film(this->choices())) return choose_film(choices);
    auto renderer = make_renderer(choices.renderer, *device_);
    (void)make_tree_builder(choices.builder, *device_);
    chosen_settings_ = choices.settings;
    if (choices.renderer != renderer_id_) set_renderer(choices.renderer, std::move(renderer));
    if (choices.builder != builder_id_) set_builder(choices.builder);
    for (auto& section : sections())
        for (auto& setting : section.settings) {
            if (requested(section.id, setting->id) || setting.is_default()) continue;
            setting.set(setting->default_text);
            if (section.kind == SectionKind::builder) live_->invalidate_tree();
        }
    apply_settings();
    restart();
}

void Session::choose_film(const Choices& choices) {
    chosen_settings_ = choices.settings;
    auto film = section(SectionKind::film);
    for (auto& setting : film.settings)
        setting.set(requested(film.id, setting->id).value_or(setting->default_text));
}

std::optional<std::string> Session::requested(const std::string& section,
                                              const std::string& id) const {
    for (auto* settings : {&chosen_settings_, &scene_->settings, &fallback_settings_}) {
        auto values = settings->find(section);
        if (values == settings->end()) continue;
        auto value = values->second.find(id);
        if (value != values->second.end()) return value->second;
    }
    return {};
}

std::optional<std::uint32_t> Session::unfinished_pixels() {
    if (samples() == 0 || !film_.convergence()) return {};
    try {
        return film_.convergence()->undone_pixels();
    } catch (const UserError&) {
        return {};  // the device has failed, which the next frame will report
    }
}

PixelTree Session::pixel_tree(int x, int y) {
    auto* source = renderer_->pixel_trees();
    Extent picture = film_.extent();
    bool inside = x >= 0 && y >= 0 && x < picture.width && y < picture.height;
    if (!source || samples() == 0 || !inside) return {};
    return source->pixel_tree(newest_frame(), *live_, picture, x, y, *scratch_);
}

std::uint64_t Session::points_version() {
    auto* source = renderer_->points();
    return source && samples() > 0 ? source->points_version() : 0;
}

PointList Session::collect_points(std::uint32_t most) {
    auto* source = renderer_->points();
    if (!source || samples() == 0) return {};
    return source->collect_points(*scratch_, live_->view().tree, last_camera_.eye, most);
}

OctreeView Session::point_octree() {
    if (!points_ || points_of_ != versions_.scene) {
        points_ = std::make_unique<LivePoints>();
        points_of_ = 0;  // unless it can be built
        points_->build(*scratch_, *live_);
        points_of_ = versions_.scene;
    }
    return points_->octree();
}

RecordedRays Session::record_rays(std::uint64_t most_bytes) {
    auto* recorder = renderer_->ray_recorder();
    if (!recorder)
        throw UserError("the renderer '" + renderer_id_ +
                        "' records no rays: choose one that does, such as whitted");
    if (samples() == 0)
        throw UserError("no frame has been rendered yet, so there are no rays to record");
    return recorder->record_rays(newest_frame(), *live_, film_.view(), *scratch_, most_bytes);
}

std::string Session::take_tree_warning(bool wait) {
    auto& tree = live_->tree();
    if (told_tree_warning_ || tree.header().empty()) return "";
    TreeHeader header;
    if (wait)
        device_->download(*stream_, &header, tree.header().data, sizeof header);
    else if (tree.latest_header())
        header = *tree.latest_header();
    auto warning = warning_of(header);
    told_tree_warning_ = !warning.empty();
    return warning;
}

void save_film(Session& session, const std::string& path) {
    if (is_png(path))
        write_png(path, session.picture());
    else
        write_image(path, radiance_of(session.stream(), session.shown_film()));
}

}  // namespace tl
