// A glTF 2.0 file in memory, through tinygltf, with every index and range checked on access.
#pragma once

#include <tiny_gltf.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/math.h"
#include "renderer/scene/loaders/gltf/gltf_buffers.h"
#include "renderer/scene/loaders/gltf/gltf_text.h"
#include "renderer/scene/loaders/read_context.h"

namespace tl {

/// A type of the numbers in an accessor.
struct GltfComponent;

/// The member `key` of the extension `name`; null if it is missing.
[[nodiscard]] const tinygltf::Value* extension_member(const tinygltf::ExtensionMap& extensions,
                                                      const char* name, const char* key);

class GltfFile {
  public:
    /// Reads a .gltf or .glb (distinguished by content) and its buffers; images stay encoded.
    /// `context` must outlive it. Throws UserError: a syntax error, a missing buffer, a required
    /// extension that is not read.
    GltfFile(const std::string& path, const ReadContext& context);

    /// The model without buffers and images.
    [[nodiscard]] const tinygltf::Model& model() const { return model_; }
    [[nodiscard]] const std::vector<GltfSource>& images() const { return images_; }
    /// Faults that did not prevent reading, without the file's name.
    [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }
    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] const ReadContext& context() const { return context_; }
    /// The size of the file and its buffers.
    [[nodiscard]] std::size_t n_bytes() const { return n_bytes_; }

    /// Starts to report the fraction of the file's numbers that has been parsed.
    void begin_parsing();
    /// Ends these reports.
    void end_parsing();
    /// Counts numbers as parsed. An exception of the progress callback may end the parsing.
    void parsed(std::size_t n_numbers) const {
        n_parsed_ += n_numbers;
        if (parsing_) parsing_->at(n_parsed_);
    }

    /// The rows of an accessor, sparse ones too, with `per_row` numbers each, as one list;
    /// normalised integers are mapped to 0 to 1 or -1 to 1. Without a buffer view, all that the
    /// accessor does not list sparsely is 0. Throws UserError.
    [[nodiscard]] std::vector<float> numbers(int accessor, int per_row) const;
    /// Only the rows of these indices. Throws UserError.
    [[nodiscard]] std::vector<float> numbers(int accessor, int per_row,
                                             std::span<const std::uint32_t> wanted) const;
    /// The indices of an accessor, which must be unsigned. Throws UserError.
    [[nodiscard]] std::vector<std::uint32_t> indices(int accessor) const;
    /// Whether an accessor has neither a buffer view nor sparse rows. Throws UserError.
    [[nodiscard]] bool has_no_data(int accessor) const;
    /// The bytes of a buffer view. Throws UserError.
    [[nodiscard]] std::string_view view_bytes(int view) const;

    /// The divisor of an accessor's normalised integers; 0 if they are not normalised. Throws
    /// UserError.
    [[nodiscard]] float full_scale(int accessor) const;
    /// The extensions that the file uses and the program does not read, as a list; "" if none.
    [[nodiscard]] std::string ignored_extensions() const;

    /// The element of one of the file's lists. Throws UserError "there is no mesh 7".
    template <class T>
    [[nodiscard]] const T& at(const std::vector<T>& list, int index, const char* what) const {
        if (index < 0 || static_cast<std::size_t>(index) >= list.size()) fail_index(what, index);
        return list[static_cast<std::size_t>(index)];
    }
    [[noreturn]] void fail(const std::string& what) const;
    [[noreturn]] void fail_index(const char* what, int index) const;

  private:
    struct Rows {
        const char* data;
        std::size_t count, stride;
        const GltfComponent* type;
    };
    /// Rows in a buffer view; messages call them `name`.
    struct Place {
        std::string name;
        int view;
        std::size_t offset, count;
        int component;  ///< type code in the file
    };
    [[nodiscard]] const GltfComponent& component(const std::string& name, int code) const;
    [[nodiscard]] const tinygltf::Accessor& accessor_of_rows(int index, int per_row) const;
    [[nodiscard]] Rows rows(const Place& place, int per_row) const;
    [[nodiscard]] Rows rows(int accessor, int per_row) const;
    [[nodiscard]] std::size_t n_zero_rows(int accessor, int per_row) const;
    template <class Put>
    void read_sparse(int accessor, int per_row, std::size_t n_rows, Put put) const;
    void read_json(const GltfText& text);

    std::string path_;
    const ReadContext& context_;
    tinygltf::Model model_;
    GltfBuffers buffers_;
    std::vector<GltfSource> images_;
    std::vector<std::string> warnings_;
    std::size_t n_bytes_ = 0;
    mutable std::optional<WorkLoop> parsing_;
    mutable std::size_t n_parsed_ = 0;
};

}  // namespace tl
