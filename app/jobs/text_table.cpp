#include "app/jobs/text_table.h"

#include <algorithm>

#include "app/jobs/format.h"
#include "app/jobs/output.h"

namespace tl {

TextTable& TextTable::row(const std::string& name) {
    name_ = name;
    cells_.clear();
    return *this;
}

TextTable& TextTable::number(const std::string& title, double value) {
    return cell(title, three_digits(value));
}

TextTable& TextTable::cell(const std::string& title, const std::string& text, int least) {
    cells_.push_back({title, text, std::max(static_cast<int>(title.size()), least)});
    return *this;
}

TextTable& TextTable::note(const std::string& title, const std::string& text) {
    cells_.push_back({title, text, 0});
    return *this;
}

std::string TextTable::text() {
    auto titles = formatted("  %-*s", name_width_, name_title_.c_str());
    auto values = formatted("  %-*s", name_width_, name_.c_str());
    for (auto& cell : cells_) {
        titles += formatted("  %*s", cell.width, cell.title.c_str());
        values += formatted("  %*s", cell.width, cell.text.c_str());
    }
    auto lines = titles == titles_ ? std::string() : titles + "\n";
    titles_ = titles;
    return lines + values + "\n";
}

void TextTable::print() {
    tl::print("%s", text().c_str());
}

void print_entry(const std::string& name, const std::string& value) {
    print("%-20s %s\n", name.c_str(), value.c_str());
}

}  // namespace tl
