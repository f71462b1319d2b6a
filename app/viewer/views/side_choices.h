// Choices of side B of a comparison that differ from side A: a renderer, a builder, a device, a
// seed, settings; or a picture from a file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "session/session.h"

namespace tl {

struct SideChoices {
    std::string renderer, builder, device;  ///< ids; "": as on side A
    std::optional<std::uint64_t> seed{};
    /// Values by section and id, as Setting::text() writes them.
    std::map<std::string, std::map<std::string, std::string>> settings{};
    std::string picture{};  ///< file that is shown instead of a rendered picture; "": none

    [[nodiscard]] bool empty() const {
        return renderer.empty() && builder.empty() && device.empty() && !seed && settings.empty() &&
               picture.empty();
    }
    /// The value of a setting, or null.
    [[nodiscard]] const std::string* find(const std::string& section, const std::string& id) const;
    /// Stores the value of a setting; "" removes it. Throws UserError for an unknown setting, an
    /// invalid value, and settings of the film, which both sides share.
    void set(const std::string& section, const std::string& id, const std::string& value);
    bool operator==(const SideChoices&) const = default;
};

/// Parses "renderer=path,builder=lbvh,path-max-depth=3": ids by renderer, builder and device, a
/// number by seed, settings by the names of their flags, and a file by picture. Throws UsageError.
[[nodiscard]] SideChoices parse_side_choices(const std::string& text);
/// Text that parse_side_choices() reads.
[[nodiscard]] std::string text_of(const SideChoices& choices);

/// Device of side B. Throws if this machine lacks it.
[[nodiscard]] Device& device_of(const SideChoices& choices, Device& first);
/// Throws UserError if side B's device cannot run its renderer or its builder.
void check_choices(const SideChoices& choices, Device& first);

}  // namespace tl
