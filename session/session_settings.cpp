#include "session/session_settings.h"

#include "session/session.h"

namespace tl {

void SessionSettings::apply() {
    auto apply_all = [&](const Values& sections) {
        for (auto& [section, values] : sections)
            for (auto& [id, value] : values) apply_setting(section, id, value);
    };
    apply_all(fallbacks_);
    apply_all(session_.scene().settings);
    apply_all(chosen_);
}

void SessionSettings::reset() {
    session_.display().config() = {};
    sampling_ = {};
}

void SessionSettings::prepare(const SettingsSection& section, const Scene& scene) const {
    for (auto* all : {&fallbacks_, &scene.settings, &chosen_}) {
        auto found = all->find(section.id);
        if (found == all->end()) continue;
        for (auto& [id, value] : found->second)
            if (!ignores_retired(section.id, id))
                find_setting(section.settings, id, section.id).set(value);
    }
}

SettingsSections SessionSettings::sections() {
    SettingsSections all;
    for (auto kind : kSectionKinds) all.push_back(section(kind));
    return all;
}

SettingsSection SessionSettings::section(SectionKind kind) {
    switch (kind) {
        case SectionKind::renderer:
            return section_of(session_.renderer_id(), session_.renderer());
        case SectionKind::builder:
            return section_of(session_.builder_id(), session_.live_scene().builder());
        case SectionKind::tree:
            return section_of(session_.live_scene().tree_config());
        case SectionKind::film:
            return section_of(session_.display().config());
        case SectionKind::sampling:
            break;
    }
    return section_of(sampling_);
}

bool SessionSettings::apply_setting(const std::string& section, const std::string& id,
                                    const std::string& value) {
    if (ignores_retired(section, id)) return true;
    auto in_use = sections();
    auto* known = find_section(in_use, section);
    if (!known) return false;
    auto& setting = find_setting(known->settings, id, section);
    auto before = setting.text();
    setting.set(value);
    // A tree that has been built with the same value stays.
    if (known->kind == SectionKind::builder && setting.text() != before)
        session_.live_scene().invalidate_tree();
    return true;
}

void SessionSettings::set(const std::string& section, const std::string& id,
                          const std::string& value) {
    if (ignores_retired(section, id)) return;
    if (!apply_setting(section, id, value)) (void)find_declared(section, id).canonical(value);
    chosen_[section][id] = value;
    if (section != "film") session_.restart();
}

void SessionSettings::set_fallback(const std::string& section, const std::string& id,
                                   const std::string& value) {
    fallbacks_[section][id] = value;
    apply();
    session_.restart();
}

void SessionSettings::forget(const std::string& section, const std::string& id) {
    auto found = chosen_.find(section);
    if (found != chosen_.end()) found->second.erase(id);
}

void SessionSettings::keep_renderer(const std::string& id) {
    chosen_["render"]["renderer"] = id;
}

std::string SessionSettings::kept_renderer() const {
    auto found = chosen_.find("render");
    return found == chosen_.end() ? "" : found->second.at("renderer");
}

bool SessionSettings::chosen(const std::string& section, const std::string& id) const {
    auto found = chosen_.find(section);
    return found != chosen_.end() && found->second.contains(id);
}

SessionSettings::Choices SessionSettings::choices() const {
    return {session_.renderer_id(), session_.builder_id(), chosen_};
}

void SessionSettings::choose(const Choices& choices) {
    auto without_film = [](Choices c) {
        c.settings.erase("film");
        return c;
    };
    if (without_film(choices) == without_film(this->choices())) return choose_film(choices);
    auto& device = session_.device();
    auto renderer = make_renderer(choices.renderer, device);
    (void)make_tree_builder(choices.builder, device);
    chosen_ = choices.settings;
    if (choices.renderer != session_.renderer_id())
        session_.set_renderer(choices.renderer, std::move(renderer));
    if (choices.builder != session_.builder_id()) session_.set_builder(choices.builder);
    for (auto& section : sections())
        for (auto& setting : section.settings) {
            if (requested(section.id, setting->id) || setting.is_default()) continue;
            setting.set(setting->default_text);
            if (section.kind == SectionKind::builder) session_.live_scene().invalidate_tree();
        }
    apply();
    session_.restart();
}

void SessionSettings::choose_film(const Choices& choices) {
    chosen_ = choices.settings;
    auto film = section(SectionKind::film);
    for (auto& setting : film.settings)
        setting.set(requested(film.id, setting->id).value_or(setting->default_text));
}

std::optional<std::string> SessionSettings::requested(const std::string& section,
                                                      const std::string& id) const {
    for (auto* settings : {&chosen_, &session_.scene().settings, &fallbacks_}) {
        auto values = settings->find(section);
        if (values == settings->end()) continue;
        auto value = values->second.find(id);
        if (value != values->second.end()) return value->second;
    }
    return {};
}

}  // namespace tl
