package dev.quire.test.cases;

/** The cases that lie in this repository. */
final class RepositoryCases {
    /** From the module's folder, where its tests run. */
    static final String FILE = "src/test/resources/cases/esi-cases.jsonl";

    private RepositoryCases() {}
}
