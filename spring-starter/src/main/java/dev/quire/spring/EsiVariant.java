package dev.quire.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Injects into a handler's {@code String} argument the value of a variant that {@link
 * EsiFragment#vary()} declares. Views find all of them in the model, under {@code esiVariant}.
 */
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface EsiVariant {

    String value();
}
