// The URIs of a glTF file: names of files, and data within them. tinygltf 2.7 takes every % for the
// beginning of a code and + for a blank, and knows few of the forms that data may have.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "renderer/scene/loaders/read_context.h"

namespace tl {

/// Decodes "a%20b" to "a b". A % without two hexadecimal digits after it, and all else, stays.
[[nodiscard]] std::string percent_decoded(std::string_view text);

/// Whether a URI holds its data, as "data:..." in any case does.
[[nodiscard]] bool is_data_uri(std::string_view uri);

/// The bytes of a data URI (RFC 2397): percent-encoded, or where ";base64" ends its media type, in
/// base64 of either alphabet, with blanks or without padding. Throws UserError "is a data URI
/// ...", which quotes none of its data.
[[nodiscard]] std::string data_of_uri(std::string_view uri);

/// The file that a URI of the file `owner` names, for its `what` in messages: by its decoded name,
/// else as it is spelled. Throws UserError with the decoded name.
[[nodiscard]] std::filesystem::path file_of_uri(const std::string& owner, const char* what,
                                                const std::string& uri, const ReadContext& context);

}  // namespace tl
