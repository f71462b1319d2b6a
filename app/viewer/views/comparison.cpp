#include "app/viewer/views/comparison.h"

#include <algorithm>

#include "app/jobs/format.h"
#include "core/device/registry.h"
#include "session/render_region.h"

namespace tl {
namespace {

/// The first session's stream if the second one can share it.
std::shared_ptr<Stream> shared_stream(Session& first, const Device& device) {
    return &first.device() == &device ? first.shared_stream() : nullptr;
}

/// Whether two pictures in false colours show the same thing.
bool same_false_colors(Session& a, Session& b) {
    if (!a.renderer().false_color() || !b.renderer().false_color() ||
        a.renderer_id() != b.renderer_id())
        return false;
    if (&a.device() != &b.device()) return false;
    auto mine = a.settings().renderer(), theirs = b.settings().renderer();
    return std::ranges::all_of(mine, [&](const Setting& setting) {
        return setting->choices.empty() ||
               find_setting(theirs, setting->id, a.renderer_id()).text() == setting.text();
    });
}

/// Adds the settings that differ; where the other session has no such section, from their default.
void add_settings(std::vector<std::string>& texts, SettingsSection mine, SettingsSection theirs) {
    for (auto& setting : mine.settings) {
        auto text = setting.text();
        bool both = mine.id == theirs.id;
        auto usual = both ? find_setting(theirs.settings, setting->id, theirs.id).text()
                          : setting->default_text;
        if (text == usual) continue;
        texts.push_back(words_of(setting->id) + " " + text);
    }
}

}  // namespace

std::unique_ptr<Session> Comparison::prepare_side(Session& first, const SideChoices& choices) {
    if (!choices.picture.empty()) return picture_session(first, read_picture_file(choices.picture));
    check_choices(choices, first.device());
    auto& device = device_of(choices, first.device());
    auto second = std::make_unique<Session>(device, shared_stream(first, device));
    second->set_scene(first.shared_scene());
    return second;
}

Comparison::Comparison(Session& first, SideChoices choices, std::unique_ptr<Session> second)
    : choices_(std::move(choices)), second_(std::move(second)) {
    follow(first);
}

void Comparison::choose(Session& first, const SideChoices& choices) {
    check_choices(choices, first.device());
    auto old = std::exchange(choices_, choices);
    try {
        follow(first);
    } catch (...) {
        choices_ = std::move(old);
        follow(first);
        throw;
    }
}

void Comparison::follow(Session& first) {
    if (picture()) return follow_picture(*second_, first);
    auto& device = device_of(choices_, first.device());
    second_->set_device(device, shared_stream(first, device));
    if (second_->shared_scene() != first.shared_scene()) second_->set_scene(first.shared_scene());
    auto& renderer = choices_.renderer.empty() ? first.renderer_id() : choices_.renderer;
    if (second_->renderer_id() != renderer) second_->set_renderer(renderer);
    auto& builder = choices_.builder.empty() ? first.builder_id() : choices_.builder;
    if (second_->builder_id() != builder) second_->set_builder(builder);
    follow_settings(first);
    second_->resize(first.extent());
    second_->set_region(region_fault(*second_).empty() ? first.share().region : FilmRegion{});
    second_->camera = first.camera;
    second_->time = first.time;
    auto seed = choices_.seed.value_or(first.seed);
    if (seed != second_->seed) second_->restart();
    second_->seed = seed;
    if (second_->renderer().false_color())
        second_->renderer().false_color()->share_scale(
            same_false_colors(first, *second_) ? first.renderer().false_color() : nullptr);
}

std::string Comparison::wanted(Session& first, SettingsSection* theirs,
                               const SettingsSection& section, const Setting& setting) const {
    if (auto* own = choices_.find(section.id, setting->id)) return *own;
    if (theirs) return find_setting(theirs->settings, setting->id, section.id).text();
    return first.settings().requested(section.id, setting->id).value_or(setting->default_text);
}

void Comparison::follow_settings(Session& first) {
    auto theirs = first.settings().sections();
    for (auto& section : second_->settings().sections())
        for (auto& setting : section.settings) {
            auto now = setting.text();
            auto value = wanted(first, find_section(theirs, section.id), section, setting);
            if (value == now) continue;
            // The same value may have been written in another way.
            setting.set(value);
            value = setting.text();
            setting.set(now);
            if (value != now) second_->settings().set(section.id, setting->id, value);
        }
}

std::vector<std::string> peculiarities(Session& session, Session& other) {
    if (auto* picture = picture_in(session)) return {picture->name()};
    std::vector<std::string> texts;
    if (picture_in(other)) return {find_row(renderers(), session.renderer_id(), "renderer").title};
    if (session.renderer_id() != other.renderer_id())
        texts.push_back(find_row(renderers(), session.renderer_id(), "renderer").title);
    if (&session.device() != &other.device()) texts.push_back(session.device().id());
    if (session.builder_id() != other.builder_id())
        texts.push_back(find_row(tree_builders(), session.builder_id(), "builder").title);
    for (auto kind : kSectionKinds)
        add_settings(texts, session.settings().section(kind), other.settings().section(kind));
    if (session.seed != other.seed) texts.push_back("seed " + std::to_string(session.seed));
    return texts;
}

SideChoices all_choices(Session& session) {
    SideChoices choices{session.renderer_id(), session.builder_id(), session.device().id(),
                        session.seed};
    for (auto& section : session.settings().sections())
        for (auto& setting : section.settings)
            if (section.kind != SectionKind::film)
                choices.settings[section.id][setting->id] = setting.text();
    return choices;
}

}  // namespace tl
