// Compressed Gaussians of a PLY, as SuperSplat and other programs of PlayCanvas write them. An
// element `chunk` has the ranges of 256 Gaussians each. Bits of `vertex` are parts of these ranges.
// Bytes of `sh` are the higher degrees of their colours.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/read_progress.h"
#include "renderer/scene/loaders/ply/ply_header.h"

namespace tl {

/// Whether the vertices of a file without faces have a `packed_position` and no `x`.
[[nodiscard]] bool are_packed(const PlyHeader& header);

/// The vertices as they are once they are unpacked: an element with PlyGaussians::names() and then
/// the properties of `sh`. Throws UserError where elements or properties are missing, have another
/// type or do not belong together.
[[nodiscard]] PlyElement unpacked_element(const PlyHeader& header, const std::string& file);

/// Unpacks them one after the other. `take` gets the numbers of each in the order of
/// unpacked_element(), whose opacity is infinite where it is 1. Throws UserError.
void read_packed(std::string_view bytes, const PlyHeader& header, const std::string& file,
                 const ReadProgress& progress,
                 const std::function<void(std::span<const double>)>& take);

}  // namespace tl
