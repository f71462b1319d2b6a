// A picture from a file as side B of a comparison. A renderer that needs no scene copies the
// picture to the film. Side B is then shown, measured and saved like a rendered picture.
#pragma once

#include <memory>
#include <string>

#include "session/session.h"

namespace tl {

/// A picture read from a file. Displayed pictures (.png, .jpg) are tone-mapped already; others hold
/// radiance.
struct PictureFile {
    std::string path;
    ImageF radiance;        ///< linear RGB: radiance, or the colours of a displayed picture
    Image16 shown;          ///< a displayed picture's pixels as in the file; else empty
    bool is_shown = false;  ///< a displayed picture, to which no tone mapping is applied

    /// Name of the file without its folder: "reference.png".
    [[nodiscard]] std::string name() const;
    /// Bits per channel of a displayed picture: 8 or 16.
    [[nodiscard]] int bits() const { return shown.lower.empty() ? 8 : 16; }
};

/// Reads a displayed picture (.png, .jpg) or radiance (.exr, .hdr). Throws UserError.
[[nodiscard]] PictureFile read_picture_file(const std::string& path);

/// Makes a session that shows the picture instead of a scene, on the device and stream of `first`.
[[nodiscard]] std::unique_ptr<Session> picture_session(Session& first, PictureFile picture);
/// The picture of such a session, which owns it; null if the session renders a scene.
[[nodiscard]] const PictureFile* picture_in(Session& session);
/// Gives a session of picture_session() the size of `first` and, unless the picture is a displayed
/// one, its tone mapping. Throws UserError where the picture has another size.
void follow_picture(Session& session, Session& first);

}  // namespace tl
