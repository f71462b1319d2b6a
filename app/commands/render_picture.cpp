#include "app/commands/render_picture.h"

namespace tl {

void write_picture(Session& session, const AovBuffers& layers, const std::string& path) {
    if (layers.channels().any())
        write_layers(path, radiance_of(session.stream(), session.shown_film()),
                     layers.planes(session.stream()));
    else
        save_film(session, path);
}

}  // namespace tl
