package dev.quire.test.spring;

import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.test.context.support.AbstractTestExecutionListener;

/** Clears the recorded invalidations before each test of an {@link AutoConfigureEsi} class. */
final class ForgettingTestExecutionListener extends AbstractTestExecutionListener {

    @Override
    public void beforeTestMethod(TestContext test) {
        if (TestContextAnnotationUtils.hasAnnotation(test.getTestClass(), AutoConfigureEsi.class)) {
            test.getApplicationContext()
                    .getBeanProvider(RecordingSurrogateClient.class)
                    .ifUnique(RecordingSurrogateClient::forget);
        }
    }
}
