// A picture from a file as side B of a comparison. A renderer without a scene copies it to the
// film, so that it is shown, measured and saved as rendered pictures are.
#pragma once

#include <memory>
#include <string>

#include "session/session.h"

namespace tl {

/// A picture that is compared.
struct PictureFile {
    std::string path;
    ImageF radiance;        ///< of a displayed picture: its colours, linear
    Image16 shown;          ///< a displayed picture as it is in the file; else empty
    bool is_shown = false;  ///< a displayed picture: tone mapping is applied to side A alone

    /// "reference.png".
    [[nodiscard]] std::string name() const;
    /// Bits a channel of a displayed picture.
    [[nodiscard]] int bits() const { return shown.lower.empty() ? 8 : 16; }
};

/// Reads .png or .jpg, displayed pictures, or .exr or .hdr, radiance. Throws UserError.
[[nodiscard]] PictureFile read_picture_file(const std::string& path);

/// A session that holds the picture instead of a scene, on the device of `first` and in its stream.
[[nodiscard]] std::unique_ptr<Session> picture_session(Session& first, PictureFile picture);
/// The picture that a session holds; null: it renders a scene.
[[nodiscard]] const PictureFile* picture_in(Session& session);
/// Gives a session that holds a picture the size and the tone mapping of another one. Throws
/// UserError where the picture has another size.
void follow_picture(Session& session, Session& first);

}  // namespace tl
