package dev.quire.spring.invalidate;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.transaction.support.TransactionSynchronization;

/** Delays invalidations until commit, if Spring's transactions are present. */
@AutoConfiguration
@ConditionalOnClass(TransactionSynchronization.class)
@ConditionalOnBooleanProperty(name = "quire.enabled", matchIfMissing = true)
public final class QuireTransactionAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(Transactions.class)
    SpringTransactions quireTransactions() {
        return new SpringTransactions();
    }
}
