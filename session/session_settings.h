// Settings of a session: those of its renderer, builder, tree, film and samples. A value that the
// user has chosen overrides the scene file's, which overrides a fallback.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "renderer/settings_sections.h"

namespace tl {

class Session;

/// Session::settings(). A section is named by its id ("whitted", "lbvh", "tree", "film",
/// "sampling"). Chosen values and fallbacks survive a change of scene, device, renderer or builder.
///
/// While a frame runs in another thread, the session's owner may set the film's settings alone, by
/// set(), choose() or film(): the next frame uses them. Other settings may be read meanwhile, but
/// changes must wait for the frame's end.
class SessionSettings {
  public:
    explicit SessionSettings(Session& session) : session_(session) {}

    /// Sets a setting and restarts the picture, unless the setting is the film's. Throws UserError
    /// listing the known ids.
    void set(const std::string& section, const std::string& id, const std::string& value);
    /// Sets the value of a setting for scenes whose files leave it open; set() overrides it. Throws
    /// UserError for an invalid value of a section in use.
    void set_fallback(const std::string& section, const std::string& id, const std::string& value);
    /// Undoes set() for the scene that is opened next; the present value stays until then.
    void forget(const std::string& section, const std::string& id);
    /// Makes scenes that are opened later use this renderer, unless their files require another.
    /// A choice as those of set(): choices() has it, and choose() may take it back.
    void keep_renderer(const std::string& id);
    /// The renderer of keep_renderer(); "": the scenes' files decide.
    [[nodiscard]] std::string kept_renderer() const;
    /// Whether set() was called for this setting.
    [[nodiscard]] bool chosen(const std::string& section, const std::string& id) const;
    /// Requested value of a setting: from set(), else the scene's file, else a fallback. Also for a
    /// section that is not in use. None if the setting has its default.
    [[nodiscard]] std::optional<std::string> requested(const std::string& section,
                                                       const std::string& id) const;

    /// Values by section and id.
    using Values = std::map<std::string, std::map<std::string, std::string>>;
    /// Choices made by set(), Session::set_renderer() and Session::set_builder().
    struct Choices {
        std::string renderer{}, builder{};
        Values settings{};
        bool operator==(const Choices&) const = default;
    };
    [[nodiscard]] Choices choices() const;
    /// Replaces all choices, of renderer and builder too: settings that they leave open are as the
    /// scene's file, a fallback or the default says. Keeps the samples if none but the film's
    /// settings change, and then waits for nothing. Throws UserError for a renderer or a builder
    /// that the device cannot run.
    void choose(const Choices& choices);

    /// The sections of settings in use: one of each kind, in the order of SectionKind.
    [[nodiscard]] SettingsSections sections();
    [[nodiscard]] SettingsSection section(SectionKind kind);
    [[nodiscard]] Settings renderer() { return section(SectionKind::renderer).settings; }
    [[nodiscard]] Settings tree() { return section(SectionKind::tree).settings; }
    [[nodiscard]] Settings film() { return section(SectionKind::film).settings; }
    [[nodiscard]] const SamplingConfig& sampling() const { return sampling_; }

    /// Sets the settings of a renderer, builder or tree that the session does not use yet to what
    /// they will be with this scene. Changes nothing of the session.
    void prepare(const SettingsSection& section, const Scene& scene) const;

  private:
    friend class Session;  // calls apply() and reset()

    /// Applies the fallbacks, the settings of the scene file, then those chosen by the user, to the
    /// session's objects. Called after one of these was replaced.
    void apply();
    /// Returns the settings of film and samples to their defaults, for a new scene.
    void reset();
    /// Replaces the choices, which differ in the film's settings alone.
    void choose_film(const Choices& choices);
    /// False if the section is currently not in use.
    bool apply_setting(const std::string& section, const std::string& id, const std::string& value);

    Session& session_;
    Values fallbacks_, chosen_;
    SamplingConfig sampling_;
};

}  // namespace tl
