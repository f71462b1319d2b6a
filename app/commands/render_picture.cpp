#include "app/commands/render_picture.h"

#include "app/jobs/format.h"

namespace tl {

std::string encode_picture(Session& session, const AovBuffers& layers, const std::string& path) {
    if (!layers.channels().any()) return encode_film(session, path);
    return encode_layers(path, radiance_of(session.stream(), session.display().shown_film()),
                         layers.planes(session.stream()));
}

std::string denoised_text(Session& session) {
    double seconds = session.display().denoise_seconds();
    return seconds > 0 ? formatted(", denoised in %.2f s", seconds) : "";
}

}  // namespace tl
