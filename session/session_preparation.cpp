#include "session/session_preparation.h"

#include "core/base/error.h"
#include "session/cancellation_scope.h"

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

/// Value of a key of the file's [render].
std::string render_key(const Scene& scene, const char* key, const std::string& otherwise) {
    auto section = scene.settings.find("render");
    if (section == scene.settings.end()) return otherwise;
    auto value = section->second.find(key);
    return value == section->second.end() ? otherwise : value->second;
}

}  // namespace

bool requires_renderer(const Scene& scene) {
    return render_key(scene, "required", "false") == "true";
}

PreparedScene prepare_scene(const Session& session, std::shared_ptr<const Scene> scene,
                            const ReadProgress& progress, const std::string& renderer) {
    PreparedScene prepared;
    prepared.live = std::make_unique<LiveScene>(session.stream(), scene, progress);
    prepared.renderer_id =
        renderer.empty() ? render_key(*scene, "renderer", session.renderer_id()) : renderer;
    prepared.builder_id = render_key(*scene, "builder", session.builder_id());
    try {
        prepared.renderer = make_renderer(prepared.renderer_id, session.device());
        prepared.live->set_builder(make_tree_builder(prepared.builder_id, session.device()));
    } catch (const UserError& error) {
        throw UserError(place_of(*scene, "render") + error.what());
    }
    check_settings_of(*scene);
    prepared.scene = std::move(scene);
    return prepared;
}

void build_trees(const Session& session, PreparedScene& prepared, const ReadProgress& progress) {
    auto& live = *prepared.live;
    auto& stream = session.stream();
    auto& settings = session.settings();
    settings.prepare(section_of(prepared.builder_id, live.builder()), *prepared.scene);
    settings.prepare(section_of(live.tree_config()), *prepared.scene);
    Scratch scratch(stream);
    StageTimer timer(stream);
    timer.enable(false);
    CancellationScope scope(stream, session.cancellation);
    live.update(scratch, timer, 0, progress);
    stream.synchronize();
}

std::unique_ptr<LiveScene> prepare_edited(const Session& session) {
    auto live = std::make_unique<LiveScene>(session.stream(), session.shared_scene());
    live->set_builder(make_tree_builder(session.builder_id(), session.device()));
    return live;
}

PreparedDevice prepare_device(const Session& session, Device& device,
                              std::shared_ptr<Stream> stream, const ReadProgress& progress) {
    PreparedDevice prepared;
    prepared.device = &device;
    prepared.stream = std::move(stream);
    if (!prepared.stream) prepared.stream = device.create_stream();
    prepared.scratch = std::make_unique<Scratch>(*prepared.stream);
    prepared.timer = std::make_unique<StageTimer>(*prepared.stream);
    prepared.live = std::make_unique<LiveScene>(*prepared.stream, session.shared_scene(), progress);
    prepared.live->set_builder(make_tree_builder(session.builder_id(), device));
    prepared.renderer = make_renderer(session.renderer_id(), device);
    prepared.film.resize(*prepared.stream, session.extent());
    return prepared;
}

}  // namespace tl
