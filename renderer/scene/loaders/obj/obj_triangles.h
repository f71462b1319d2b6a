// Triangles of the polygons of an OBJ.
#pragma once

#include <string>

#include "renderer/scene/loaders/obj/obj_reader.h"

namespace tl {

/// Cuts all faces of more than three corners into triangles: quads along their shorter diagonal,
/// others by polygon.h. `path` is the file's name in messages. Throws UserError.
void triangulate(ObjFile& file, const std::string& path);

}  // namespace tl
