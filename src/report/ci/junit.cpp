#include "report/ci/junit.h"

#include <algorithm>
#include <sstream>

#include <pugixml.hpp>

#include "base/displayable.h"

namespace ordercheck {
namespace {

void set(pugi::xml_node node, const char* name, std::string_view value) {
  node.append_attribute(name).set_value(displayable(value).c_str());
}

std::string count_of(const std::vector<TestCase>& cases, TestEnd end) {
  return std::to_string(std::ranges::count(cases, end, &TestCase::end));
}

void add(pugi::xml_node suite, const std::string& suite_name, const TestCase& one) {
  pugi::xml_node node = suite.append_child("testcase");
  set(node, "name", one.name);
  set(node, "classname", suite_name);
  if (!one.file.empty()) set(node, "file", one.file);
  if (one.line > 0) set(node, "line", std::to_string(one.line));
  if (one.end == TestEnd::passed) {
    if (!one.detail.empty()) node.append_child("system-out").text().set(displayable(one.detail).c_str());
    return;
  }
  pugi::xml_node end = node.append_child(one.end == TestEnd::failed  ? "failure"
                                         : one.end == TestEnd::error ? "error"
                                                                     : "skipped");
  set(end, "message", one.message);
  if (!one.detail.empty()) end.text().set(displayable(one.detail).c_str());
}

void add(pugi::xml_node suites, const TestSuite& suite) {
  pugi::xml_node node = suites.append_child("testsuite");
  set(node, "name", suite.name);
  set(node, "tests", std::to_string(suite.cases.size()));
  set(node, "failures", count_of(suite.cases, TestEnd::failed));
  set(node, "errors", count_of(suite.cases, TestEnd::error));
  set(node, "skipped", count_of(suite.cases, TestEnd::skipped));
  if (!suite.properties.empty()) {
    pugi::xml_node properties = node.append_child("properties");
    for (const auto& [name, value] : suite.properties) {
      pugi::xml_node property = properties.append_child("property");
      set(property, "name", name);
      set(property, "value", value);
    }
  }
  for (const TestCase& one : suite.cases) add(node, suite.name, one);
}

}  // namespace

std::string render_junit(const std::vector<TestSuite>& suites) {
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  pugi::xml_node root = document.append_child("testsuites");
  root.append_attribute("name") = "ordercheck";
  for (const TestSuite& suite : suites) add(root, suite);
  std::ostringstream text;
  document.save(text, "  ", pugi::format_indent, pugi::encoding_utf8);
  return text.str();
}

}  // namespace ordercheck
