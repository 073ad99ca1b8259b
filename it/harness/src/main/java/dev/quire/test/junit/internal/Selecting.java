package dev.quire.test.junit.internal;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestInstanceFactoryContext;
import org.junit.jupiter.api.extension.TestInstancePreConstructCallback;

/** Selects a kind of proxy for the thread of the test while a test may start one. */
abstract class Selecting
        implements BeforeAllCallback,
                TestInstancePreConstructCallback,
                BeforeEachCallback,
                AfterEachCallback,
                AfterAllCallback {

    abstract void select();

    abstract void unselect();

    @Override
    public void beforeAll(ExtensionContext context) {
        select();
    }

    /** Fields of the test may start proxies. */
    @Override
    public void preConstructTestInstance(
            TestInstanceFactoryContext factory, ExtensionContext context) {
        select();
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        select();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        unselect();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        unselect();
    }
}
