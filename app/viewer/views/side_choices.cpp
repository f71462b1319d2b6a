#include "app/viewer/views/side_choices.h"

#include "core/base/text.h"

namespace tl {
namespace {

/// Stores the setting whose flag is `name`; false if there is none.
bool set_by_flag(SideChoices& choices, const std::string& name, const std::string& value) {
    if (ignores_retired_flag(name)) return true;
    const DeclaredSection* section = nullptr;
    auto* setting = find_by_flag(name, section);
    if (setting) choices.set(section->id, setting->id, value);
    return setting != nullptr;
}

void set_choice(SideChoices& choices, const std::string& name, const std::string& value) {
    if (name == "renderer") {
        choices.renderer = value;
    } else if (name == "builder") {
        choices.builder = value;
    } else if (name == "device") {
        choices.device = find_device(value).id();
    } else if (name == "picture") {
        choices.picture = value;
    } else if (name == "seed") {
        choices.seed = number_in<std::uint64_t>(value);
        if (!choices.seed) throw UsageError("seed '" + value + "' is not a number from 0 on");
    } else if (!set_by_flag(choices, name, value)) {
        throw UsageError(
            "unknown '" + name +
            "'; known: renderer, builder, device, seed, picture, and settings by their "
            "flags' names, such as tree-layout or path-max-depth");
    }
}

}  // namespace

const std::string* SideChoices::find(const std::string& section, const std::string& id) const {
    auto values = settings.find(section);
    if (values == settings.end()) return nullptr;
    auto value = values->second.find(id);
    return value == values->second.end() ? nullptr : &value->second;
}

void SideChoices::set(const std::string& section, const std::string& id, const std::string& value) {
    if (value.empty()) {
        auto values = settings.find(section);
        if (values == settings.end()) return;
        values->second.erase(id);
        if (values->second.empty()) settings.erase(values);
        return;
    }
    if (section == "film")
        throw UserError("film-" + id + ": both sides are shown with the same exposure and tone");
    if (ignores_retired(section, id)) return;
    settings[section][id] = find_declared(section, id).canonical(value);
}

SideChoices parse_side_choices(const std::string& text) {
    SideChoices choices;
    for (std::size_t at = 0; at <= text.size();) {
        auto end = std::min(text.find(',', at), text.size());
        auto part = text.substr(at, end - at);
        at = end + 1;
        auto equals = part.find('=');
        try {
            if (equals == std::string::npos || equals == 0 || equals + 1 == part.size())
                throw UsageError("'" + part + "' is not NAME=VALUE");
            set_choice(choices, part.substr(0, equals), part.substr(equals + 1));
        } catch (const UserError& error) {
            throw UsageError(std::string("side B: ") + error.what());
        }
    }
    auto others = choices;
    others.picture.clear();
    if (!choices.picture.empty() && !others.empty())
        throw UsageError("side B: a picture from a file has no settings; leave out the others");
    return choices;
}

std::string text_of(const SideChoices& choices) {
    std::string text;
    auto add = [&](const std::string& name, const std::string& value) {
        if (!value.empty()) text += (text.empty() ? "" : ",") + name + "=" + value;
    };
    add("renderer", choices.renderer);
    add("builder", choices.builder);
    add("device", choices.device);
    if (choices.seed) add("seed", std::to_string(*choices.seed));
    add("picture", choices.picture);
    for (auto& [section, values] : choices.settings)
        for (auto& [id, value] : values) {
            std::string name = section;
            add(name.append("-").append(id), value);
        }
    return text;
}

Device& device_of(const SideChoices& choices, Device& first) {
    return choices.device.empty() ? first : find_device(choices.device);
}

void check_choices(const SideChoices& choices, Device& first) {
    auto& device = device_of(choices, first);
    if (!choices.renderer.empty()) (void)make_renderer(choices.renderer, device);
    if (!choices.builder.empty()) (void)make_tree_builder(choices.builder, device);
}

}  // namespace tl
