// The buffers of a glTF file: in its chunk BIN, in files of their own, or in data URIs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/scene/loaders/gltf/gltf_text.h"
#include "renderer/scene/loaders/read_context.h"

namespace tl {

class GltfBuffers {
  public:
    GltfBuffers() = default;
    /// Reads the buffers of the file `path`; `chunk` may be the first one. Throws UserError: a
    /// buffer that is not there, cannot be decoded or is too short.
    GltfBuffers(const std::string& path, const std::vector<GltfSource>& sources,
                std::optional<std::string_view> chunk, const ReadContext& context);

    /// The bytes of a buffer, as many as it claims.
    [[nodiscard]] std::string_view at(std::size_t buffer) const { return buffers_.at(buffer); }
    /// The size of all buffers.
    [[nodiscard]] std::size_t n_bytes() const;

  private:
    std::vector<std::string> buffers_;
};

}  // namespace tl
