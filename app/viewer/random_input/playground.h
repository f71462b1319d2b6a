// A temporary folder for a run with random input: all that the program writes goes there, and it
// holds damaged files to be opened. It is removed at the end.
#pragma once

#include <string>
#include <vector>

namespace tl {

class Playground {
  public:
    /// Throws UserError where no folder can be made.
    Playground();
    ~Playground();
    Playground(const Playground&) = delete;
    Playground& operator=(const Playground&) = delete;

    [[nodiscard]] const std::string& folder() const { return folder_; }
    /// Paths to open: the scene, the other scenes and models in its folder, damaged files, and some
    /// that do not exist.
    [[nodiscard]] std::vector<std::string> paths(const std::string& scene) const;

  private:
    std::string folder_;
};

}  // namespace tl
