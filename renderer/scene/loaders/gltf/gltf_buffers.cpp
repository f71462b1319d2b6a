#include "renderer/scene/loaders/gltf/gltf_buffers.h"

#include <filesystem>
#include <utility>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/one_line.h"
#include "renderer/scene/loaders/gltf/gltf_uri.h"

namespace tl {
namespace {

/// A buffer's bytes, and what it is called in messages.
struct Contents {
    std::string name, bytes;
};

Contents contents_of(const std::string& path, const GltfSource& source, std::size_t index,
                     std::optional<std::string_view> chunk, const ReadContext& context) {
    std::string number = "buffer " + std::to_string(index);
    if (source.uri.empty()) {
        if (!chunk && source.size > 0)
            throw UserError(path + ": " + number + " has no data; the file has no chunk 'BIN'");
        return {number, std::string(chunk.value_or(std::string_view{}))};
    }
    if (is_data_uri(source.uri)) {
        try {
            return {number + ", a data URI,", data_of_uri(source.uri)};
        } catch (const UserError& error) {
            throw UserError(path + ": " + number + " " + error.what());
        }
    }
    std::string name = percent_decoded(source.uri);
    std::error_code ignored;
    if (std::filesystem::is_directory(std::filesystem::path(path).parent_path() / name, ignored))
        throw UserError(path + ": the buffer '" + one_line(name) + "' is a folder; name a file");
    return {"buffer '" + one_line(name) + "'",
            read_file(file_of_uri(path, "buffer", source.uri, context), context)};
}

}  // namespace

GltfBuffers::GltfBuffers(const std::string& path, const std::vector<GltfSource>& sources,
                         std::optional<std::string_view> chunk, const ReadContext& context) {
    for (auto& source : sources) {
        auto [name, bytes] = contents_of(path, source, buffers_.size(), chunk, context);
        if (bytes.size() < source.size)
            throw UserError(path + ": " + name + " has " + std::to_string(bytes.size()) +
                            " bytes of " + std::to_string(source.size) + "; it is cut off");
        // Files and chunks may be longer than their buffer.
        bytes.resize(source.size);
        buffers_.push_back(std::move(bytes));
    }
}

std::size_t GltfBuffers::n_bytes() const {
    std::size_t sum = 0;
    for (auto& buffer : buffers_) sum += buffer.size();
    return sum;
}

}  // namespace tl
